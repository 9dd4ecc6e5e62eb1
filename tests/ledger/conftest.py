"""An app on an empty store, by a clock that the test moves. Every test here runs on every store in ``STORES``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ledger.apps import Apps
from tests.places.fixtures import PlaceOn
from tests.places.place import Place
from windlass import Windlass
from windlass.testing import ManualClock

STORES: tuple[str, ...] = ("sqlite", "postgres", "redis")


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, place_on: PlaceOn) -> Place:
    """Where the test's jobs live."""
    return place_on(request.param)


@pytest.fixture
def clock() -> ManualClock:
    """The time by which the store goes; stands still until the test moves it."""
    return ManualClock()


@pytest.fixture
def new_app(place: Place, clock: ManualClock) -> Iterator[Apps]:
    """Makes apps that share the test's store, as the processes of one system do."""
    with Apps(place, clock=clock) as apps:
        yield apps


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return new_app()
