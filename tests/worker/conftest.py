"""Apps on one store of the test's own, by the real clock; two of them are two processes as far as it can tell."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps
from tests.places.fixtures import PlaceOn
from tests.places.place import Place
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import Windlass

STORES: tuple[str, ...] = ("sqlite", "postgres", "redis")


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, place_on: PlaceOn) -> Place:
    """Where the test's jobs live."""
    return place_on(request.param)


@pytest.fixture
def app(new_app: Apps) -> Windlass:
    return new_app()


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    """What lies between ``app`` and its store."""
    return intercept(app)
