"""An app on an empty store, by a clock that the test moves. Every test here runs on every store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ledger.apps import Apps
from tests.places.place import Place
from windlass.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    """The time by which the store goes; stands still until the test moves it."""
    return ManualClock()


@pytest.fixture
def new_app(place: Place, clock: ManualClock) -> Iterator[Apps]:
    """Makes apps that share the test's store, as the processes of one system do."""
    with Apps(place, clock=clock) as apps:
        yield apps
