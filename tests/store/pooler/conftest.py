"""A store that is reached through PgBouncer, in transaction mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest

from tests.manual_clock import manual_clock
from tests.places.place import ServerPlace, put_postgres, wipe_postgres
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


@pytest.fixture
def place(pooled_dsn: str, behind_pooler: Database) -> Iterator[ServerPlace]:
    place = ServerPlace(pooled_dsn, f"t_{uuid4().hex[:16]}", wipe_postgres, put_postgres)
    yield place
    wipe_postgres(behind_pooler.url, place.namespace)


@pytest.fixture
def store(place: ServerPlace) -> Iterator[Store]:
    """An empty store of the test's own."""
    with open_store(place, clock=manual_clock()) as store:
        yield store
