"""The connections of one process to a server: bounded, first come first served."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar

from windlass import clock
from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.operation import Lane
from windlass.threads.reentry import Reentry

_UNUSED = 10.0
"""Seconds after which a connection that was needed for a while is closed: the server may have room for few."""


class PooledConnection(Protocol):
    """What a pool uses of a connection."""

    until: float
    """The deadline of its user, on the monotonic clock."""
    used: float
    """When it was last given back, on the monotonic clock."""

    @property
    def closed(self) -> bool: ...

    @property
    def is_disconnected(self) -> bool:
        """Whether the server has hung up, as far as is known without asking it."""

    @property
    def is_idle(self) -> bool:
        """Whether it can carry out another call: it is open, and no answer is outstanding."""


C = TypeVar("C", bound=PooledConnection)
T = TypeVar("T")


class Connector(Protocol[C]):
    """Makes the connections of a pool, each on the thread that needs it."""

    def connect(self, until: float) -> C:
        """A new connection."""

    def discard(self, connection: C) -> None:
        """Close a connection for good."""


class _Loan(Generic[C]):
    """One caller's place, or its wait for one. It exists before anything is taken, so all of it can be given back."""

    __slots__ = ("connection", "turn")

    def __init__(self) -> None:
        self.connection: C | None = None
        self.turn: Lock | None = None
        """Taken while the caller waits; released by the thread that hands it a place."""


class Pool(Generic[C]):
    """A few connections for calls and one for heartbeats, so that busy threads cannot hold those up.

    A caller that finds no place free waits, and callers are served in turn. Connections are kept as long as they are
    needed now and then. No thread watches them.

    An exception from outside (Ctrl-C, a signal handler that raises, one set by another thread) may strike a caller at
    any instruction, also while it is handed a place. So giving back does no harm twice, and it is done twice.
    """

    def __init__(self, connector: Connector[C], *, name: str, calls: int) -> None:
        self._connector = connector
        self._name = name
        self.calls: Places[C] = Places(calls)
        self._beat: Places[C] = Places(1)
        self._is_closed = False

    def use(
        self, lane: Lane, work: Callable[[C], T], *, until: float, connect: Callable[[float], C] | None = None
    ) -> T:
        """What ``work`` returns, given a connection of this lane. Waiting, connecting and the work itself have to end
        by ``until``.
        """
        places = self._beat if lane.is_of_heartbeats else self.calls
        loan: _Loan[C] = _Loan()
        try:
            try:
                if self._is_closed or not places.take(loan, until):
                    raise self._refusal(places.count)
                loan.connection = connection = self._obtain(places, until, connect or self._connector.connect)
                connection.until = until
                return work(connection)
            finally:
                self._end(loan, places)
        finally:
            self._end(loan, places)

    def drop_idle(self) -> None:
        """Close what is not in use: what ended one connection has most likely ended the others."""
        for places in (self.calls, self._beat):
            while connection := places.pop():
                self._connector.discard(connection)

    def close(self) -> None:
        """Close what is not in use now, and what is in use when it is given back."""
        self._is_closed = True
        for places in (self.calls, self._beat):
            places.refuse_waiting()
        self.drop_idle()

    def _obtain(self, places: Places[C], until: float, connect: Callable[[float], C]) -> C:
        connection = places.pop()
        if connection is not None:
            if not connection.is_disconnected:
                return connection
            self._connector.discard(connection)
            self.drop_idle()
        return connect(until)

    def _end(self, loan: _Loan[C], places: Places[C]) -> None:
        connection, loan.connection = loan.connection, None
        if connection is not None:
            self._take_back(connection, places)
        places.leave(loan)

    def _take_back(self, connection: C, places: Places[C]) -> None:
        if not connection.is_idle:
            if connection.closed:  # the other idle connections are dead too: no other call should find out by waiting
                self.drop_idle()
            self._connector.discard(connection)
            return
        connection.used = clock.monotonic()
        places.idle.append(connection)
        unused = places.pop_unused(connection.used - _UNUSED)
        if unused is not None:
            self._connector.discard(unused)
        if self._is_closed:  # checked last: it may be closed at any moment, and then no other call closes this one
            self.drop_idle()

    def _refusal(self, count: int) -> Exception:
        if self._is_closed:
            return AppClosed(f"{self._name}: the store is closed")
        return StoreUnavailable(
            f"{self._name}: no connection became free in time, of {count} that calls may use; add ?pool={2 * count} to "
            "the store URL, or use fewer threads"
        )


class Places(Generic[C]):
    """The callers that use connections, those that wait for one, and the idle connections.

    Loans are put into one set and taken out of it, so that no exception can lose a place. A finaliser that needs one
    where its thread has the lock is refused: on a thread of ours no call is under way that would refuse another one.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._lock = Lock()
        self._reentry = Reentry("Windlass")
        self._lent: set[_Loan[C]] = set()
        self._waiting: deque[_Loan[C]] = deque()
        self.idle: list[C] = []
        """Connections that no caller uses; the last was used last."""

    @property
    def free(self) -> int:
        """How many places no caller has."""
        return self.count - len(self._lent)

    def take(self, loan: _Loan[C], until: float) -> bool:
        """Wait for a place; whether there was one in time."""
        with self._reentry, self._lock:
            if len(self._lent) < self.count and not self._waiting:
                self._lent.add(loan)
                return True
            turn = loan.turn = Lock()
            turn.acquire()
            self._waiting.append(loan)
        clock.acquire(turn, max(0.0, until - clock.monotonic()))
        return loan in self._lent

    def leave(self, loan: _Loan[C]) -> None:
        """Give a place, or the wait for one, back; does nothing where there is neither."""
        with self._reentry, self._lock:
            self._lent.discard(loan)
            if loan in self._waiting:
                self._waiting.remove(loan)
            self._hand_on()

    def refuse_waiting(self) -> None:
        """Let all callers that wait for a place go without one."""
        with self._reentry, self._lock:
            for loan in self._waiting:
                _wake(loan)
            self._waiting.clear()

    def pop(self) -> C | None:
        """The idle connection that was used last, which belongs to the caller from now on."""
        try:
            return self.idle.pop()
        except IndexError:
            return None

    def pop_unused(self, since: float) -> C | None:
        """The idle connection that was used longest ago, if that was before ``since``."""
        try:
            return self.idle.pop(0) if self.idle[0].used < since else None
        except IndexError:  # another thread has just taken it
            return None

    def _hand_on(self) -> None:
        """Give free places to the callers that have waited longest: new callers would always take them first."""
        while self._waiting:
            first = self._waiting[0]
            if first not in self._lent:
                if len(self._lent) >= self.count:
                    return
                self._lent.add(first)
            _wake(first)
            self._waiting.popleft()


def _wake(loan: _Loan[C]) -> None:
    if loan.turn is not None and loan.turn.locked():
        loan.turn.release()
