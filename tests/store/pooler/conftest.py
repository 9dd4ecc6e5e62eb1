"""A store that is reached through PgBouncer, in transaction mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.manual_clock import manual_clock
from tests.places.place import ServerPlace, put_postgres
from tests.places.schemas import Schemas, schemas_of
from tests.servers import ServerMissing
from tests.servers.pgbouncer import pgbouncer
from tests.store.postgres.database import Database, new_database
from tests.store.stores import Store, open_store


@pytest.fixture(scope="session")
def behind_pooler(postgres_dsn: str) -> Iterator[Database]:
    """The database that the pooler leads to: one of its own, because the pooler keeps connections to it."""
    with new_database(postgres_dsn) as database:
        yield database


@pytest.fixture(scope="session")
def pooled_dsn(behind_pooler: Database) -> Iterator[str]:
    """The database by way of the pooler. The only server that tests do without where there is none."""
    with ExitStack() as running:
        try:
            pooled = running.enter_context(pgbouncer(behind_pooler.url))
        except ServerMissing as missing:
            pytest.skip(str(missing))
        yield pooled


@pytest.fixture(scope="session")
def _schemas(behind_pooler: Database) -> Iterator[Schemas]:
    with schemas_of(behind_pooler.url, has_pooler=True) as schemas:
        yield schemas


@pytest.fixture
def place(pooled_dsn: str, _schemas: Schemas) -> Iterator[ServerPlace]:
    place = ServerPlace(pooled_dsn, _schemas.take(), put=put_postgres)
    yield place
    _schemas.give_back(pooled_dsn, place.namespace)


@pytest.fixture
def store(place: ServerPlace) -> Iterator[Store]:
    """An empty store of the test's own."""
    with open_store(place, clock=manual_clock()) as store:
        yield store
