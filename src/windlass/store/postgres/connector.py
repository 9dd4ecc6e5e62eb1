"""Makes connections to one database."""

from __future__ import annotations

import psycopg

from windlass import clock
from windlass.errors import AppClosed
from windlass.forks import leak
from windlass.store.connection.circuit_breaker import CircuitBreaker, fair_deadline
from windlass.store.postgres.address import Address
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.errors import unreachable


class Connector:
    """Connects through a breaker, so that a server that is away is asked seldom, and knows what it has made.

    ``prepare`` is whether connections prepare statements.
    """

    def __init__(self, address: Address, *, breaker: CircuitBreaker, prepare: bool) -> None:
        self._address = address
        self._breaker = breaker
        self._made: set[TimedConnection] = set()
        self._is_closed = False
        self.prepare = prepare

    def connect(self, until: float) -> TimedConnection:
        """A new connection; waits for a server that is away for a while."""
        return self._breaker.reach(lambda: self.attempt(fair_deadline(until)), deadline=until - clock.monotonic())

    def attempt(self, until: float) -> TimedConnection:
        """Try once to make a connection; raises ``Away`` or ``LoginDenied``. A failure keeps no call from trying."""
        if self._is_closed:
            raise AppClosed(f"{self._address.name}: the store is closed")
        connection: TimedConnection | None = None
        try:
            connection = TimedConnection.reach(self._address.conninfo, until=until)
            self._made.add(connection)
            if self.prepare:
                connection.prepare_statements()
        except BaseException as error:
            if connection is not None:
                self.discard(connection)
            if isinstance(error, psycopg.Error):
                raise unreachable(error, self._address.name) from error
            raise
        return connection

    def discard(self, connection: TimedConnection) -> None:
        """Close a connection for good."""
        self._made.discard(connection)
        connection.close()

    def close(self) -> None:
        """Make no more connections."""
        self._is_closed = True

    def abandon(self) -> None:
        """Forget, in a forked child, what belongs to the parent; closing it would end the parent's connections."""
        leak(self._made)
