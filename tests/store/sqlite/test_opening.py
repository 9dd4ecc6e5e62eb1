"""Opening a file: it is made on first use, checked, and refused with a clear word where it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.processes import running
from tests.store.sqlite.files import is_intact
from tests.store.stores import Store, open_store
from windlass.errors import AppClosed, ConfigError, StoreUnavailable
from windlass.store.operations import queries


def test_nothing_is_opened_before_the_first_call(place: SqlitePlace) -> None:
    with open_store(place):
        assert not place.path.exists()


def test_the_first_call_makes_the_file(place: SqlitePlace) -> None:
    """A17: embedded by default: no schema step, no second process."""
    with open_store(place) as store:
        store.enqueue(new_job())
        assert store.count() == 1
        assert store.driver.name == str(place.path)
    assert is_intact(place)


def test_what_was_stored_is_there_after_a_restart(place: SqlitePlace) -> None:
    """A17: a returned enqueue survives."""
    with open_store(place) as store:
        store.enqueue(new_job("a"))
    with open_store(place) as store:
        assert list(store.run(queries.find(["a"]))) == ["a"]


def test_a_migration_names_its_steps_once(place: SqlitePlace) -> None:
    with open_store(place) as store:
        steps = store.driver.migrate()
        assert (bool(steps), store.driver.migrate()) == (True, [])
    with open_store(place) as store:
        assert store.driver.migrate() == []


def test_a_store_that_was_only_migrated_lets_its_file_go(place: SqlitePlace) -> None:
    with open_store(place) as store:
        store.driver.migrate()
    descriptors = [path.resolve() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    assert place.path not in descriptors


def test_many_may_open_a_new_file_at_once(place: SqlitePlace) -> None:
    """A15: no lock error reaches the user, not even while the file is being made."""
    with ThreadPoolExecutor(8) as pool:
        drivers = [place.open(now=None) for _ in range(8)]
        list(pool.map(lambda driver: Store(driver).enqueue(new_job()), drivers))
    assert Store(drivers[0]).count() == 8
    for driver in drivers:
        driver.close()


def test_a_closed_store_takes_no_more_calls(place: SqlitePlace) -> None:
    """A6: AppClosed; closing twice is harmless."""
    with open_store(place) as store:
        store.enqueue(new_job())
        store.driver.close()
        store.driver.close()
        with pytest.raises(AppClosed):
            store.enqueue(new_job())
        with pytest.raises(AppClosed):
            store.driver.migrate()
        with pytest.raises(AppClosed):
            store.driver.listen(lambda topic: None)


def test_a_store_that_was_never_used_may_be_closed(place: SqlitePlace) -> None:
    with open_store(place) as store:
        store.driver.close()
        with pytest.raises(AppClosed):
            store.count()


def test_two_namespaces_in_one_file_do_not_know_of_each_other(place: SqlitePlace) -> None:
    """Isolated by prefix (S11)."""
    other = SqlitePlace(place.path, place.options, "shop")
    with open_store(place) as first, open_store(other) as second:
        first.enqueue(new_job("a"))
        assert (first.count(), second.count()) == (1, 0)
        second.enqueue(new_job("a", task="other"))
        assert (first.count(), second.count()) == (1, 1)


def test_the_applications_own_tables_stay(place: SqlitePlace) -> None:
    """A file may be the application's own database."""
    place.execute("CREATE TABLE orders (id INTEGER)")
    place.execute("INSERT INTO orders VALUES (7)")
    with open_store(place) as store:
        store.enqueue(new_job())
    assert place.execute("SELECT id FROM orders") == [(7,)]


# Files that cannot be used.


def test_a_file_of_a_newer_release_is_refused(place: SqlitePlace) -> None:
    """A database from the future names the remedy and stays as it is."""
    with open_store(place) as store:
        store.enqueue(new_job())
    place.execute("INSERT INTO windlass_schema VALUES (999, 'future', 0)")
    with open_store(place) as store, pytest.raises(ConfigError, match=r"version 999.*upgrade windlass"):
        store.count()
    assert place.execute("SELECT count(*) FROM windlass_job") == [(1,)]


def test_a_store_that_could_not_be_opened_may_be_tried_again(place: SqlitePlace) -> None:
    """Works again without a restart (I8)."""
    with open_store(place) as store:
        store.enqueue(new_job())
    place.execute("INSERT INTO windlass_schema VALUES (999, 'future', 0)")
    with open_store(place) as store:
        with pytest.raises(ConfigError):
            store.count()
        place.execute("DELETE FROM windlass_schema WHERE version = 999")
        assert store.count() == 1


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "jobs.db"
    with (
        open_store(SqlitePlace(path)) as store,
        pytest.raises(StoreUnavailable, match="does its folder exist") as raised,
    ):
        store.count()
    assert str(path) in str(raised.value)


def test_a_directory_that_appears_later_is_used(tmp_path: Path) -> None:
    """Works again without a restart (I8)."""
    with open_store(SqlitePlace(tmp_path / "later" / "jobs.db")) as store:
        with pytest.raises(StoreUnavailable):
            store.count()
        (tmp_path / "later").mkdir()
        store.enqueue(new_job())
        assert store.count() == 1


def test_a_folder_in_place_of_a_file_is_refused(place: SqlitePlace) -> None:
    place.path.mkdir()
    with open_store(place) as store, pytest.raises(StoreUnavailable, match="cannot be opened"):
        store.count()


def test_a_file_that_is_no_database_is_refused_and_stays_as_it_is(place: SqlitePlace) -> None:
    place.path.write_text("Dear diary, " * 1000)
    with open_store(place) as store, pytest.raises(StoreUnavailable, match="is not an SQLite database"):
        store.count()
    assert place.path.read_text() == "Dear diary, " * 1000


@pytest.fixture
def reachable(place: SqlitePlace) -> Iterator[SqlitePlace]:
    """A file that every user could reach; pytest's own folders are private."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        with open_store(SqlitePlace(Path(folder) / "jobs.db", place.options)) as store:
            store.enqueue(new_job())
        yield SqlitePlace(Path(folder) / "jobs.db", place.options)
        Path(folder).chmod(0o777)


@pytest.mark.parametrize(
    ("file", "folder", "answer"),
    [(0o444, 0o777, "cannot be written to"), (0o444, 0o555, "cannot be"), (0o666, 0o000, "may this user write there")],
    ids=["file", "folder", "unreachable"],
)
def test_a_file_that_may_not_be_written_is_refused(reachable: SqlitePlace, file: int, folder: int, answer: str) -> None:
    """A clear answer, and nothing lost. In a process of its own, which gives up the rights of root (S7)."""
    reachable.path.chmod(file)
    reachable.path.parent.chmod(folder)
    with running("tests.store.sqlite.read_only", reachable.url) as reader:
        told = reader.line()
        assert reader.end() == 0
    reachable.path.parent.chmod(0o777)
    assert told.startswith("StoreUnavailable")
    assert answer in told
    reachable.path.chmod(0o666)
    with open_store(reachable) as store:
        assert store.count() == 1
