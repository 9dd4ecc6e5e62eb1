"""Processes that work on the test's store, and a network that breaks, as pytest fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.process import Processes
from tests.faults.proxy import Proxy, proxied
from tests.ledger.apps import Apps
from tests.places.place import Place, ServerPlace


@pytest.fixture
def processes(place: Place, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes; all of them are gone when the test ends."""
    with closing(Processes(place, tmp_path / "gates")) as started:
        yield started


@pytest.fixture
def _proxied(place: Place) -> Iterator[tuple[ServerPlace, Proxy]]:
    assert isinstance(place, ServerPlace)
    with proxied(place) as made:
        yield made


@pytest.fixture
def proxy(_proxied: tuple[ServerPlace, Proxy]) -> Proxy:
    """Stands between ``far`` and the server of ``place``."""
    return _proxied[1]


@pytest.fixture
def far(_proxied: tuple[ServerPlace, Proxy]) -> ServerPlace:
    """The test's place, seen through the proxy."""
    return _proxied[0]


@pytest.fixture
def far_app(far: ServerPlace, proxy: Proxy) -> Iterator[Apps]:
    """Makes apps behind the proxy, whose calls give up after a second."""
    with Apps(far, store_deadline=1) as apps:
        yield apps
        proxy.restore()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls of processes that are started from here on give up after a second."""
    monkeypatch.setenv("STORE_DEADLINE", "1")


@pytest.fixture
def far_processes(far: ServerPlace, tmp_path: Path, hasty: None) -> Iterator[Processes]:
    """Starts processes behind the proxy, whose calls give up after a second."""
    with closing(Processes(far, tmp_path / "far")) as started:
        yield started
