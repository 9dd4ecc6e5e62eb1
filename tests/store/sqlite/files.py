"""What people do with the files of a store."""

from __future__ import annotations

from tests.places.place import SqlitePlace


def beside(place: SqlitePlace, name: str) -> SqlitePlace:
    """Another file in the same folder."""
    return SqlitePlace(place.path.with_name(name), place.options)


def move(place: SqlitePlace, target: SqlitePlace) -> None:
    """Move a file with its log and the log's index."""
    for suffix in ("", "-wal", "-shm"):
        place.path.with_name(place.path.name + suffix).rename(target.path.with_name(target.path.name + suffix))


def is_intact(place: SqlitePlace) -> bool:
    return place.execute("PRAGMA integrity_check") == [("ok",)]
