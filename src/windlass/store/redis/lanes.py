"""The connections of one process to its server, by what they are for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Event, Lock

from windlass import clock
from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.operation import Lane
from windlass.store.redis.wire import Wire

Connect = Callable[[float], Wire]
"""Makes a connection, given until when."""


class Lanes:
    """A pool for calls, and a connection for heartbeats, so that busy threads cannot hold them up."""

    def __init__(self, connect: Connect, *, name: str, calls: int) -> None:
        self._calls = Pool(connect, name=name, size=calls)
        self._beat = Pool(connect, name=name, size=1)

    def of(self, lane: Lane) -> Pool:
        return self._beat if lane.is_of_heartbeats else self._calls

    def clear(self) -> None:
        """Close what is idle: it leads to a server that is not the right one any more."""
        for pool in (self._calls, self._beat):
            pool.clear()

    def close(self) -> None:
        """Close what is idle now, and what is in use when it is given back."""
        for pool in (self._calls, self._beat):
            pool.close()


class Pool:
    """At most so many connections, each made when it is needed; who finds none free waits, and is served in turn."""

    def __init__(self, connect: Connect, *, name: str, size: int) -> None:
        self._connect = connect
        self._name = name
        self._size = size
        self._free = size
        self._idle: list[Wire] = []
        self._waiting: deque[Event] = deque()
        self._is_closed = False
        self._lock = Lock()

    def take(self, *, until: float) -> Wire:
        """A connection that works as far as one can tell without a question to the server."""
        wire = self.take_idle(until=until)
        if wire is not None:
            return wire
        try:
            return self._connect(until)
        except BaseException:
            self.give_back(None)
            raise

    def take_idle(self, *, until: float) -> Wire | None:
        """A place in the pool, with the connection that waits there, if one does and the server has not hung up."""
        wire = self._take_place(until)
        while wire is not None and not wire.is_quiet:
            wire.close()
            wire = self._next_idle()
        return wire

    def give_back(self, wire: Wire | None) -> None:
        """What ``take`` or ``take_idle`` gave."""
        with self._lock:
            if wire is not None and wire.is_free and not self._is_closed:
                self._idle.append(wire)
                wire = None
            # The place goes to who has waited longest: whoever comes by at this moment would take it away for ever.
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
        if wire is not None:
            wire.close()

    def clear(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for wire in idle:
            wire.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            turn.set()
        self.clear()

    def _next_idle(self) -> Wire | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _take_place(self, until: float) -> Wire | None:
        """A place, and what waits there."""
        with self._lock:
            if self._free and not self._is_closed:
                self._free -= 1
                return self._idle.pop() if self._idle else None
            turn = Event()
            self._waiting.append(turn)
        if not self._is_closed and not clock.wait(turn, max(0.0, until - clock.monotonic())):
            with self._lock:
                is_over = turn in self._waiting
                if is_over:
                    self._waiting.remove(turn)
            if is_over:  # else it was given a place at the last moment
                raise StoreUnavailable(
                    f"{self._name}: all {self._size} connections are in use; add ?pool={2 * self._size} to the store "
                    "URL, or use fewer threads"
                )
        if self._is_closed:
            raise AppClosed(f"{self._name}: the store is closed")
        return self._next_idle()
