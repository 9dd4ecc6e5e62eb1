"""Python's own sqlite3 module and ours must not have one file open in one process: each drops the other's locks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.stores import open_store
from windlass.errors import ConfigError

NAMES_THE_SWITCH = r"\?driver=stdlib"


@pytest.fixture
def ours(tmp_path: Path) -> SqlitePlace:
    return SqlitePlace(tmp_path / "jobs.db")


def connect(place: SqlitePlace) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(place.path))


def test_a_connection_beside_an_open_store_is_refused(ours: SqlitePlace) -> None:
    """The error names the switch."""
    with open_store(ours) as store:
        store.enqueue(new_job())
        with pytest.raises(ConfigError, match=NAMES_THE_SWITCH), connect(ours):
            pass
        assert store.count() == 1


def test_a_store_beside_an_open_connection_is_refused(ours: SqlitePlace) -> None:
    """The error names the switch."""
    with connect(ours) as own:
        own.execute("CREATE TABLE orders (id INTEGER)")
        with open_store(ours) as store, pytest.raises(ConfigError, match=NAMES_THE_SWITCH):
            store.count()
        own.execute("INSERT INTO orders VALUES (1)")
    with open_store(ours) as store:
        store.enqueue(new_job())
        assert store.count() == 1


@pytest.mark.parametrize("written", ["text", "path", "bytes", "uri", "link", "relative"])
def test_it_does_not_matter_how_the_path_is_written(
    ours: SqlitePlace, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.db").symlink_to(ours.path)
    paths: dict[str, str | Path | bytes] = {
        "text": str(ours.path),
        "path": ours.path,
        "bytes": bytes(ours.path),
        "uri": f"file:{quote(str(ours.path))}?mode=rw",
        "link": tmp_path / "link.db",
        "relative": "jobs.db",
    }
    with open_store(ours) as store:
        store.enqueue(new_job())
        with pytest.raises(ConfigError, match=NAMES_THE_SWITCH):
            sqlite3.connect(paths[written], uri=written == "uri")


def test_other_files_and_memory_may_be_opened(ours: SqlitePlace, tmp_path: Path) -> None:
    with open_store(ours) as store:
        store.enqueue(new_job())
        for path in (tmp_path / "other.db", ":memory:", ""):
            sqlite3.connect(path).close()


def test_a_file_may_be_opened_once_every_store_on_it_is_closed(ours: SqlitePlace) -> None:
    with open_store(ours) as first, open_store(ours) as second:
        first.enqueue(new_job())
        second.enqueue(new_job())
        first.driver.close()
        with pytest.raises(ConfigError), connect(ours):
            pass
        second.driver.close()
        with connect(ours) as own:
            assert own.execute("SELECT count(*) FROM windlass_job").fetchone() == (2,)


def test_a_store_that_could_not_be_opened_keeps_nobody_out(ours: SqlitePlace) -> None:
    ours.path.write_text("no database" * 1000)
    with open_store(ours) as store:
        with pytest.raises(Exception, match="not an SQLite database"):
            store.count()
        sqlite3.connect(ours.path).close()


def test_a_store_with_the_switch_lives_beside_the_applications_own_connections(tmp_path: Path) -> None:
    """A file that is the application's own database."""
    place = SqlitePlace(tmp_path / "app.db", "?driver=stdlib")
    with connect(place) as own, open_store(place) as store:
        own.execute("CREATE TABLE orders (id INTEGER)")
        store.enqueue(new_job())
        with connect(place) as second:
            assert second.execute("SELECT count(*) FROM windlass_job").fetchone() == (1,)


def test_two_stores_with_different_libraries_on_one_file_are_refused(ours: SqlitePlace) -> None:
    plain = SqlitePlace(ours.path, "?driver=stdlib")
    for first, second in ((ours, plain), (plain, ours)):
        with open_store(first) as store, open_store(second) as other:
            store.enqueue(new_job())
            with pytest.raises(ConfigError, match=NAMES_THE_SWITCH):
                other.count()


def test_two_stores_of_ours_may_reach_one_file_by_two_names(ours: SqlitePlace, tmp_path: Path) -> None:
    with open_store(ours) as store:
        store.enqueue(new_job())
        (tmp_path / "link.db").symlink_to(ours.path)
        with open_store(SqlitePlace(tmp_path / "link.db")) as linked:
            assert linked.count() == 1
