"""Places as pytest fixtures, and the marker for a test that is about one store.

A test that uses ``place``, or what is made of it (``app``, ``new_app``, ``processes``), runs on each of ``STORES``,
unless its folder's ``conftest.py`` has another ``place``. A test that is marked ``only_on("sqlite")`` runs on that
store alone; one that is marked ``varied_on("sqlite")`` runs on each store, with all its parameters only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from shutil import copyfile
from uuid import uuid4

import pytest

from tests.ledger.apps import Apps
from tests.places.place import Place, ServerPlace, SqlitePlace, put_postgres, put_redis, wipe_redis
from tests.places.raw_sqlite import RawSqlite
from tests.places.raw_store import RawStore
from tests.places.schemas import Schemas, schemas_of
from windlass import Windlass

PlaceOn = Callable[[str], Place]
STORES: tuple[str, ...] = ("sqlite", "postgres", "redis")

_ABOUT_FILES = Path(__file__).parents[1] / "store" / "sqlite"
"""Tests of how a file comes to be: theirs is not there yet."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "only_on(*stores): is about these stores, and runs on no other")
    config.addinivalue_line("markers", "varied_on(store): with all its parameters there, with the first elsewhere")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    at_home = [item for item in items if _is_at_home(item)]
    kept = set(_without_variations(at_home))
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in at_home if item in kept]


def _without_variations(items: list[pytest.Item]) -> list[pytest.Item]:
    """Only the first set of parameters where a store makes no difference to the others."""
    kept: dict[object, pytest.Item] = {}
    for item in sorted(items, key=_number_of_variation):  # they may have been shuffled
        store = _place_of_variation(item)
        kept.setdefault(item if store is None else (item.nodeid.partition("[")[0], store), item)
    return list(kept.values())


def _number_of_variation(item: pytest.Item) -> int:
    return sum(item.callspec.indices.values()) if hasattr(item, "callspec") else 0


def _place_of_variation(item: pytest.Item) -> str | None:
    """The store on which a test is tried with one set of its parameters, if it is one of those."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    mark, params = item.get_closest_marker("varied_on"), item.callspec.params
    store = str(params.get("place", params.get("store", "")))
    # Both libraries of SQLite carry out the same statements; what differs is in tests/store/sqlite.
    is_second_library = store == "sqlite-stdlib" and not item.path.is_relative_to(_ABOUT_FILES)
    return store if is_second_library or (mark is not None and store != mark.args[0]) else None


def _is_at_home(item: pytest.Item) -> bool:
    """Whether the test is meant for the store that it would run on."""
    mark = item.get_closest_marker("only_on")
    if mark is None or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return True
    params = item.callspec.params
    return params.get("place", params.get("store", mark.args[0])) in mark.args


@pytest.fixture(scope="session")
def _schemas(postgres_dsn: str) -> Iterator[Schemas]:
    with schemas_of(postgres_dsn) as schemas:
        yield schemas


@pytest.fixture
def place_on(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PlaceOn]:
    """Makes empty places on the stores that the test names; nothing of them is left on a server when the test ends."""
    with ExitStack() as made:

        def make(store: str) -> Place:
            place = _PLACES[store](request, tmp_path)
            made.callback(place.erase)
            return place

        yield make


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, place_on: PlaceOn) -> Place:
    """Where the test's jobs live."""
    return place_on(request.param)


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    """An app without tasks, on the test's store."""
    return new_app()


@pytest.fixture
def new_app(place: Place) -> Iterator[Apps]:
    """Makes apps that share the test's store, as the processes of one system do; they go by the real clock."""
    with Apps(place) as apps:
        yield apps


@pytest.fixture
def raw_store(place: Place) -> RawStore:
    """What the store holds, past the API."""
    return RawStore(place)


@pytest.fixture
def file(place: Place) -> RawSqlite:
    """The test's database file, for tests that are about SQLite."""
    assert isinstance(place, SqlitePlace)
    return RawSqlite(place.path, place.connect)


@pytest.fixture(scope="session")
def _empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that has all tables and no jobs: to copy it takes a tenth of the time that it takes to make one."""
    made = SqlitePlace(tmp_path_factory.mktemp("empty") / "jobs.db")
    with closing(made.open(now=None)) as driver:
        driver.migrate()
    return made.path


def _file(request: pytest.FixtureRequest, folder: Path) -> Path:
    path = folder / "jobs.db"
    if not request.path.is_relative_to(_ABOUT_FILES):
        copyfile(request.getfixturevalue("_empty_file"), path)
    return path


def _sqlite(request: pytest.FixtureRequest, folder: Path) -> Place:
    # A quick run does not wait for the disk.
    return SqlitePlace(_file(request, folder), "?durability=normal" if request.config.getoption("--quick") else "")


def _sqlite_stdlib(request: pytest.FixtureRequest, folder: Path) -> Place:
    return SqlitePlace(_file(request, folder), "?driver=stdlib&durability=normal")


def _postgres(request: pytest.FixtureRequest, _: Path) -> Place:
    schemas: Schemas = request.getfixturevalue("_schemas")
    return ServerPlace(request.getfixturevalue("postgres_dsn"), schemas.take(), schemas.give_back, put_postgres)


def _redis(request: pytest.FixtureRequest, _: Path) -> Place:
    # Random, not counted: a server that the environment names is shared with other runs.
    return ServerPlace(request.getfixturevalue("redis_url"), f"t_{uuid4().hex[:16]}", wipe_redis, put_redis)


_PLACES: dict[str, Callable[[pytest.FixtureRequest, Path], Place]] = {
    "sqlite": _sqlite,
    "sqlite-stdlib": _sqlite_stdlib,
    "postgres": _postgres,
    "redis": _redis,
}
