"""Runs the contract on every store.

A test that asks for ``store`` runs on every store; one in a store's own folder runs on that store alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.manual_clock import manual_clock
from tests.places.fixtures import PlaceOn
from tests.store.stores import Store, open_store

STORES: tuple[str, ...] = ("sqlite", "sqlite-stdlib", "postgres", "redis")
OWN = {"sqlite": ("sqlite", "sqlite-stdlib"), "postgres": ("postgres",), "pooler": ("postgres",), "redis": ("redis",)}
"""What the folders run on that are about one kind of store."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store" in metafunc.fixturenames:
        stores = OWN.get(metafunc.definition.path.parent.name, STORES)
        only = metafunc.definition.get_closest_marker("only_on")
        metafunc.parametrize("store", [each for each in stores if only is None or each in only.args], indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest, place_on: PlaceOn) -> Iterator[Store]:
    """An empty store of the test's own."""
    with open_store(place_on(request.param), clock=manual_clock()) as store:
        yield store
