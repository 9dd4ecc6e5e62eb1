"""The connections of one process to one database, by purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg

from windlass import clock
from windlass.errors import AppClosed, StoreUnavailable
from windlass.forks import leak
from windlass.store.connection.circuit_breaker import CircuitBreaker
from windlass.store.connection.pool import Pool
from windlass.store.operation import Lane
from windlass.store.postgres.address import Address
from windlass.store.postgres.connection import TimedConnection
from windlass.store.postgres.errors import unreachable

T = TypeVar("T")

_UNUSED = 10.0
"""Seconds after which a connection that was needed for a while is closed: the server may have room for few."""
_FAIR_CHANCE = 0.25
"""How many seconds a new connection may take at least: one that begins just before the deadline would only hide, by
running out of time, what the attempts before it have found out.
"""


class Connections:
    """A few connections for calls and one for heartbeats, so that busy threads cannot hold those up.

    Each is made on the thread that needs it, and kept as long as it is needed now and then. There is no thread that
    looks after them.
    """

    def __init__(self, address: Address, *, breaker: CircuitBreaker, prepare: bool) -> None:
        self._address = address
        self._breaker = breaker
        self._prepare = prepare
        self._calls = self._new_pool(address.pool)
        self._beat = self._new_pool(1)
        self._made: set[TimedConnection] = set()
        self._is_closed = False

    def use(self, lane: Lane, work: Callable[[TimedConnection], T], *, until: float) -> T:
        """What ``work`` returns, given a connection of this lane; by then it must be free, connected, and done."""
        return (self._beat if lane.is_of_heartbeats else self._calls).lend(work, until=until)

    def spare(self, work: Callable[[TimedConnection], T], *, until: float) -> T:
        """The same for what may as well be left undone: a failure raises ``Away``, and keeps no call from trying."""
        return self._calls.lend(work, until=until, obtain=self._obtain_at_once)

    def attempt(self, *, until: float) -> TimedConnection:
        """Try once to make a connection, which then belongs to the caller; raises ``Away`` or ``FailedPermanently``."""
        if self._is_closed:
            raise AppClosed(f"{self._address.name}: the store is closed")
        connection: TimedConnection | None = None
        try:
            connection = TimedConnection.reach(self._address.conninfo, until=until)
            self._made.add(connection)
            if self._prepare:
                connection.prepare_statements()
        except BaseException as error:
            if connection is not None:
                self.let_go(connection)
            if isinstance(error, psycopg.Error):
                raise unreachable(error, self._address.name) from error
            raise
        return connection

    def let_go(self, connection: TimedConnection) -> None:
        """Close a connection for good."""
        self._made.discard(connection)
        connection.close()

    def drop_idle(self) -> None:
        """Close what is not in use: what ended one connection has most likely ended the others."""
        for pool in (self._calls, self._beat):
            while connection := pool.pop():
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
        leak(self._made)

    def _new_pool(self, count: int) -> Pool[TimedConnection]:
        def obtain(until: float) -> TimedConnection:
            connection = self._idle(pool) or self._connect(until)
            connection.until = until
            return connection

        def refusal() -> Exception:
            return StoreUnavailable(
                f"{self._address.name}: no connection became free in time, of {count} that calls may use; "
                "?pool=N in the URL allows more"
            )

        pool = Pool(
            count, obtain=obtain, give_back=lambda connection: self._take_back(connection, pool), refusal=refusal
        )
        return pool

    def _obtain_at_once(self, until: float) -> TimedConnection:
        connection = self._idle(self._calls) or self.attempt(until=until)
        connection.until = until
        return connection

    def _connect(self, until: float) -> TimedConnection:
        """A new connection; a server that is away is asked seldom."""

        def attempt() -> TimedConnection:
            return self.attempt(until=max(until, clock.monotonic() + _FAIR_CHANCE))

        return self._breaker.reach(attempt, deadline=until - clock.monotonic())

    def _idle(self, pool: Pool[TimedConnection]) -> TimedConnection | None:
        connection = pool.pop()
        if connection is not None and connection.is_over:
            self.let_go(connection)
            self.drop_idle()
            return None
        return connection

    def _take_back(self, connection: TimedConnection, pool: Pool[TimedConnection]) -> None:
        if not connection.is_at_rest:
            if connection.closed:  # the other idle connections are dead too: no other call should find out by waiting
                self.drop_idle()
            self.let_go(connection)
            return
        connection.used = clock.monotonic()
        pool.idle.append(connection)
        self._drop_unused(pool, since=connection.used - _UNUSED)
        if self._is_closed:  # looked at last: it may be closed at any moment, and then nobody else would see this one
            self.drop_idle()

    def _drop_unused(self, pool: Pool[TimedConnection], *, since: float) -> None:
        """Close the connection that was used longest ago, if that was before ``since``."""
        try:
            unused = pool.idle.pop(0) if pool.idle[0].used < since else None
        except IndexError:  # another thread has just taken it
            return
        if unused is not None:
            self.let_go(unused)
