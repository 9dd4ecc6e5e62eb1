"""Commands and helpers on one store; what they promise on every store is in the ledger's tests."""

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


@pytest.fixture
def place(place_on: PlaceOn) -> Place:
    """Where the jobs live."""
    return place_on("sqlite")


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return new_app()


@pytest.fixture
def processes(place: Place, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes; all of them are gone when the test ends."""
    with closing(Processes(place, tmp_path / "gates")) as started:
        yield started
