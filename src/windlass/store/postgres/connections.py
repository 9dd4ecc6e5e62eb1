"""The connections of one process to one database, by what they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import BoundedSemaphore

import psycopg

from windlass import clock
from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.breaker import Breaker
from windlass.store.carried import keep_for_ever
from windlass.store.operation import Lane
from windlass.store.postgres.address import Address
from windlass.store.postgres.failures import unreachable
from windlass.store.postgres.timed import TimedConnection

_FAIR_CHANCE = 0.25
"""How many seconds a new connection may take at least: one that begins just before the deadline would only hide, by
running out of time, what the attempts before it have found out.
"""


class Connections:
    """A few connections for calls and one for heartbeats, so that busy threads cannot hold those up.

    Each is made on the thread that needs it, and kept. There is no thread that looks after them.
    """

    def __init__(self, address: Address, *, breaker: Breaker, prepare: bool) -> None:
        self._address = address
        self._breaker = breaker
        self._prepare = prepare
        self._calls = _Places(address.pool)
        self._beat = _Places(1)
        self._made: set[TimedConnection] = set()
        self._is_closed = False

    def borrowed(self, lane: Lane, *, until: float) -> AbstractContextManager[TimedConnection]:
        """A connection of this lane for one thread; until then it must be free, connected, and done."""
        return self._lent(self._beat if lane.is_of_heartbeats else self._calls, self._connect, until)

    def spared(self, *, until: float) -> AbstractContextManager[TimedConnection]:
        """One for what may as well be left undone: a failure of it raises ``Away``, and keeps no call from trying."""
        return self._lent(self._calls, lambda until: self.attempt(until=until), until)

    def attempt(self, *, until: float) -> TimedConnection:
        """Try once to make a connection, which then belongs to the caller; raises ``Away`` or ``Refused``."""
        if self._is_closed:
            raise AppClosed(f"{self._address.name}: the store is closed")
        try:
            connection = TimedConnection.reach(self._address.conninfo, until=until)
            self._made.add(connection)
            self._set_up(connection)
        except psycopg.Error as error:
            raise unreachable(error, self._address.name) from error
        return connection

    def let_go(self, connection: TimedConnection) -> None:
        """Close a connection for good."""
        self._made.discard(connection)
        connection.close()

    def drop_idle(self) -> None:
        """Close what is not in use: what ended one connection has most likely ended the others."""
        for places in (self._calls, self._beat):
            while connection := places.pop():
                self.let_go(connection)

    def stop_preparing(self) -> None:
        """Prepare no statements from now on."""
        self._prepare = False
        self.drop_idle()

    def close(self) -> None:
        """Close everything; what is in use now is closed when it comes back."""
        self._is_closed = True
        self.drop_idle()

    def abandon(self) -> None:
        """Forget, in a forked child, what belongs to the parent; closing it would end the parent's connections."""
        keep_for_ever(self._made)

    @contextmanager
    def _lent(
        self, places: _Places, connect: Callable[[float], TimedConnection], until: float
    ) -> Iterator[TimedConnection]:
        if not places.free.acquire(timeout=max(0.0, until - clock.monotonic())):
            raise StoreUnavailable(
                f"{self._address.name}: no connection became free in time, of {places.count} that calls may use; "
                "?pool=N in the URL allows more"
            )
        try:
            connection = self._idle(places) or connect(until)
            connection.until = until
            try:
                yield connection
            finally:
                self._take_back(connection, places)
        finally:
            places.free.release()

    def _set_up(self, connection: TimedConnection) -> None:
        if not self._prepare:
            return
        try:
            connection.prepare_statements()
        except BaseException:
            self.let_go(connection)
            raise

    def _connect(self, until: float) -> TimedConnection:
        """A new connection; a server that is away is asked seldom."""

        def attempt() -> TimedConnection:
            return self.attempt(until=max(until, clock.monotonic() + _FAIR_CHANCE))

        return self._breaker.reach(attempt, deadline=until - clock.monotonic())

    def _idle(self, places: _Places) -> TimedConnection | None:
        connection = places.pop()
        if connection is not None and connection.is_over:
            self.let_go(connection)
            self.drop_idle()
            return None
        return connection

    def _take_back(self, connection: TimedConnection, places: _Places) -> None:
        if not connection.is_at_rest:
            if connection.closed:  # nobody else should have to find out, by waiting, that the network forgot them all
                self.drop_idle()
            self.let_go(connection)
            return
        places.idle.append(connection)
        if self._is_closed:  # looked at last: it may be closed at any moment, and then nobody else would see this one
            self.drop_idle()


class _Places:
    """How many connections a lane may have, and those that wait for use."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.free = BoundedSemaphore(count)
        self.idle: list[TimedConnection] = []

    def pop(self) -> TimedConnection | None:
        try:
            return self.idle.pop()
        except IndexError:
            return None
