"""A store, an app to look at it with, and processes that work on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.process import Processes
from tests.ledger.apps import Apps
from tests.places.fixtures import PlaceOn
from tests.places.place import Place
from windlass import Windlass

STORES: tuple[str, ...] = ("sqlite", "postgres", "redis")


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, place_on: PlaceOn) -> Place:
    """Where the jobs live."""
    return place_on(request.param)


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    """The test's own app: it knows the tasks by name only."""
    return new_app()


@pytest.fixture
def processes(place: Place, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes; all of them are gone when the test ends."""
    with closing(Processes(place, tmp_path / "gates")) as started:
        yield started
