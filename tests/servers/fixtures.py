"""The servers as pytest fixtures: started when the first test asks, one per process of a parallel run.

Tests share the server, so a test makes its own database, schema or key prefix.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.postgres import postgres_server
from tests.servers.valkey import valkey_server


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """The DSN of a PostgreSQL server; its user may create databases."""
    with postgres_server() as dsn:
        yield dsn


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis or Valkey server's database."""
    with valkey_server() as url:
        yield url
