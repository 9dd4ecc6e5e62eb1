"""The connections of one process to its server, by purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from windlass.errors import AppClosed, StoreUnavailable
from windlass.store.connection.pool import Pool
from windlass.store.operation import Lane
from windlass.store.redis.connection import Connection

T = TypeVar("T")

Connect = Callable[[float], Connection]
"""Makes a connection, given until when."""


class Connections:
    """A pool for calls, and a connection for heartbeats, so that busy threads cannot hold them up."""

    def __init__(self, connect: Connect, *, name: str, calls: int) -> None:
        self._connect = connect
        self._name = name
        self._calls = self._new_pool(calls)
        self._beat = self._new_pool(1)
        self._is_closed = False

    def use(self, lane: Lane, work: Callable[[Connection], T], *, until: float) -> T:
        """What ``work`` returns, given a connection of this lane."""
        if self._is_closed:
            raise AppClosed(f"{self._name}: the store is closed")
        return self.of(lane).lend(work, until=until)

    def of(self, lane: Lane) -> Pool[Connection]:
        return self._beat if lane.is_of_heartbeats else self._calls

    def clear(self) -> None:
        """Close what is idle: it leads to a server that is not the right one any more."""
        for pool in (self._calls, self._beat):
            while wire := pool.pop():
                wire.close()

    def close(self) -> None:
        """Close what is idle now, and what is in use when it is given back."""
        self._is_closed = True
        for pool in (self._calls, self._beat):
            pool.refuse_waiting()
        self.clear()

    def _new_pool(self, count: int) -> Pool[Connection]:
        def obtain(until: float) -> Connection:
            """One that works as far as one can tell without a question to the server."""
            while wire := pool.pop():
                if wire.is_quiet:
                    return wire
                wire.close()
            return self._connect(until)

        def give_back(wire: Connection) -> None:
            if not wire.is_free:
                wire.close()
                return
            pool.idle.append(wire)
            if self._is_closed:  # looked at last: it may be closed at any moment
                self.clear()

        pool = Pool(count, obtain=obtain, give_back=give_back, refusal=lambda: self._refusal(count))
        return pool

    def _refusal(self, count: int) -> Exception:
        if self._is_closed:
            return AppClosed(f"{self._name}: the store is closed")
        return StoreUnavailable(
            f"{self._name}: all {count} connections are in use; add ?pool={2 * count} to the store URL, or use fewer "
            "threads"
        )
