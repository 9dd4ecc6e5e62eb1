"""What the store holds, seen and changed past the API."""

from __future__ import annotations

from typing import Any, Protocol

import apsw

from tests.store.places import SqlitePlace
from windlass import Job


class Behind(Protocol):
    """One store's data, for what the API rightly does not show or allow."""

    def damage(self, job: Job[Any], **columns: str | int | None) -> None:
        """Set parts of a job to what no operation would write."""

    def events(self) -> int:
        """How many events are kept."""

    def keys(self) -> list[str]:
        """The unique keys that are held."""

    def archived(self) -> list[tuple[str, str]]:
        """ISO week and id of each job in the store's own archive."""


class BehindSqlite:
    """The tables of an SQLite file."""

    def __init__(self, place: SqlitePlace) -> None:
        self._path = place.path

    def damage(self, job: Job[Any], **columns: str | int | None) -> None:
        settings = ", ".join(f"{name} = ?" for name in columns)
        self._execute(f"UPDATE windlass_job SET {settings} WHERE id = ?", (*columns.values(), job.id))

    def events(self) -> int:
        [[count]] = self._execute("SELECT count(*) FROM windlass_event")
        return int(str(count))

    def keys(self) -> list[str]:
        return [str(key) for (key,) in self._execute("SELECT key FROM windlass_key ORDER BY key")]

    def archived(self) -> list[tuple[str, str]]:
        rows = self._execute("SELECT week, id FROM windlass_archive ORDER BY week, seq")
        return [(str(week), str(id)) for week, id in rows]

    def _execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        connection = apsw.Connection(str(self._path))
        connection.set_busy_timeout(10_000)  # a worker may be writing
        try:
            return list(connection.execute(statement, params))
        finally:
            connection.close()
