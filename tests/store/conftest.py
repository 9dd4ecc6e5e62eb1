"""Runs the contract on every store.

A test that asks for ``store`` runs on every store; one in a store's own folder runs on that store alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from tests.store.builders import ManualClock
from tests.store.places import Place, ServerPlace, SqlitePlace, put_postgres, put_redis, wipe_postgres, wipe_redis
from tests.store.stores import Store

STORES = ("sqlite", "sqlite-stdlib", "postgres", "redis")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store" in metafunc.fixturenames:
        folder = metafunc.definition.path.parent.name
        own = tuple(name for name in STORES if name.split("-")[0] == folder)
        metafunc.parametrize("store", own or STORES, indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of the test's own."""
    place = _PLACES[request.param](request, tmp_path)
    with ExitStack() as opened:
        opened.callback(place.erase)
        yield Store(place, clock=ManualClock(), opened=opened)


def _sqlite(_: pytest.FixtureRequest, folder: Path) -> Place:
    return SqlitePlace(folder / "jobs.db")


def _sqlite_stdlib(_: pytest.FixtureRequest, folder: Path) -> Place:
    return SqlitePlace(folder / "jobs.db", "?driver=stdlib&durability=normal")


def _postgres(request: pytest.FixtureRequest, _: Path) -> Place:
    return ServerPlace(request.getfixturevalue("postgres_dsn"), _namespace(), wipe_postgres, put_postgres)


def _redis(request: pytest.FixtureRequest, _: Path) -> Place:
    return ServerPlace(request.getfixturevalue("redis_url"), _namespace(), wipe_redis, put_redis)


def _namespace() -> str:
    # Random, not counted: a server that the environment names is shared with other runs.
    return f"t_{uuid4().hex[:16]}"


_PLACES: dict[str, Callable[[pytest.FixtureRequest, Path], Place]] = {
    "sqlite": _sqlite,
    "sqlite-stdlib": _sqlite_stdlib,
    "postgres": _postgres,
    "redis": _redis,
}
