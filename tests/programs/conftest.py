"""Commands and helpers on one store; what they promise on every store is in the ledger's tests."""

from __future__ import annotations

import pytest

from tests.places.fixtures import PlaceOn
from tests.places.place import Place


@pytest.fixture
def place(place_on: PlaceOn) -> Place:
    """Where the jobs live."""
    return place_on("sqlite")
