"""An application with a transaction, beside its jobs, for each kind of connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.places.place import wipe_postgres
from tests.places.schemas import Schemas, schemas_of
from tests.store.postgres.database import Database, new_database
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


@pytest.fixture(scope="session")
def shop_schemas(postgres_dsn: str) -> Iterator[Schemas]:
    """Apart from those of other tests: in these a table of orders stays."""
    with schemas_of(postgres_dsn) as schemas:
        yield schemas


@pytest.fixture
def shop(kind_name: str, request: pytest.FixtureRequest, tmp_path: Path, opened: ExitStack) -> Shop:
    """A database with an empty store and no orders."""
    if kind_name in SQLITE:
        return sqlite_shop(tmp_path, "windlass")
    dsn, schemas = request.getfixturevalue("postgres_dsn"), request.getfixturevalue("shop_schemas")
    namespace = schemas.take()
    opened.callback(schemas.give_back, dsn, namespace)
    return postgres_shop(dsn, namespace)


@pytest.fixture(scope="session")
def other_database(postgres_dsn: str) -> Iterator[Database]:
    with new_database(postgres_dsn) as database:
        yield database


@pytest.fixture
def other_shop(shop: Shop, request: pytest.FixtureRequest, tmp_path: Path, opened: ExitStack) -> Shop:
    """Another database, with a store of the same name."""
    if shop.is_sqlite:
        (tmp_path / "other").mkdir()
        return sqlite_shop(tmp_path / "other", shop.namespace)
    database: Database = request.getfixturevalue("other_database")
    opened.callback(wipe_postgres, database.url, shop.namespace)
    return postgres_shop(database.url, shop.namespace)


@pytest.fixture
def scene(shop: Shop, opened: ExitStack) -> Scene:
    return opened.enter_context(Scene(shop))


@pytest.fixture
def caller(scene: Scene, kind: Kind, opened: ExitStack) -> Caller:
    """An application that has its transaction open on the shop's database."""
    caller = kind.open(scene.shop)
    opened.callback(caller.close)
    return caller
