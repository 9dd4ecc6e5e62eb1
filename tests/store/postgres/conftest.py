"""A database of the test's own, and drivers on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.store.postgres.database import Database, new_database
from tests.store.postgres.open_stores import Opening, opening


@pytest.fixture
def database(postgres_dsn: str) -> Iterator[Database]:
    """An empty database, in which the test may do what it likes."""
    with new_database(postgres_dsn) as database:
        yield database


@pytest.fixture
def opened(database: Database) -> Iterator[Opening]:
    """Opens stores in the database, each as a process of its own would; closed when the test ends."""
    with opening(database.url) as opened:
        yield opened
