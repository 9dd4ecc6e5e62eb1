"""An application with a transaction, beside its jobs, for each kind of connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.places.place import wipe_postgres
from tests.transactions.callers.caller import Caller
from tests.transactions.places import KINDS, SQLITE, Kind, Shop, postgres_shop, sqlite_shop
from tests.transactions.shop import Scene


@pytest.fixture
def kind_name() -> str:
    """The kind of connection; a test that does not choose gets the plainest one."""
    return "psycopg"


@pytest.fixture
def kind(kind_name: str) -> Kind:
    return KINDS[kind_name]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def shop(kind_name: str, request: pytest.FixtureRequest, tmp_path: Path, opened: ExitStack) -> Shop:
    """A database with an empty store and no orders."""
    if kind_name in SQLITE:
        return sqlite_shop(tmp_path, "windlass")
    dsn, namespace = request.getfixturevalue("postgres_dsn"), f"t_{uuid4().hex[:16]}"
    opened.callback(wipe_postgres, dsn, namespace)
    return postgres_shop(dsn, namespace)


@pytest.fixture
def other_shop(shop: Shop, tmp_path: Path, opened: ExitStack) -> Shop:
    """Another database, with a store of the same name."""
    if shop.is_sqlite:
        (tmp_path / "other").mkdir()
        return sqlite_shop(tmp_path / "other", shop.namespace)
    name = f"other_{uuid4().hex[:16]}"
    shop.execute(f'CREATE DATABASE "{name}"')
    opened.callback(shop.execute, f'DROP DATABASE "{name}" WITH (FORCE)')
    return postgres_shop(urlsplit(shop.database)._replace(path=f"/{name}").geturl(), shop.namespace)


@pytest.fixture
def scene(shop: Shop, opened: ExitStack) -> Scene:
    return opened.enter_context(Scene(shop))


@pytest.fixture
def caller(scene: Scene, kind: Kind, opened: ExitStack) -> Caller:
    """An application that has its transaction open on the shop's database."""
    caller = kind.open(scene.shop)
    opened.callback(caller.close)
    return caller
