"""An app on an empty store, by a clock that the test moves. Every test here runs on every store in ``STORES``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ledger.apps import Apps
from tests.ledger.behind import Behind, BehindSqlite
from tests.store.places import SqlitePlace
from windlass import Windlass
from windlass.testing import ManualClock

STORES: tuple[str, ...] = ("sqlite",)


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace:
    """Where the test's jobs live."""
    return _PLACES[request.param](tmp_path)


@pytest.fixture
def clock() -> ManualClock:
    """The time by which the store goes; stands still until the test moves it."""
    return ManualClock()


@pytest.fixture
def new_app(place: SqlitePlace, clock: ManualClock) -> Iterator[Apps]:
    """Makes apps that share the test's store, as the processes of one system do."""
    apps = Apps(place.url, place.namespace, clock)
    yield apps
    apps.close()


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return new_app()


@pytest.fixture
def behind(place: SqlitePlace) -> Behind:
    """What the store holds, past the API."""
    return BehindSqlite(place)


_PLACES: dict[str, Callable[[Path], SqlitePlace]] = {"sqlite": lambda folder: SqlitePlace(folder / "jobs.db")}
