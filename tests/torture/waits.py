"""Who waits for a caller's open transaction, as PostgreSQL itself tells.

A run that does not begin may have many reasons on a busy machine; a lock has one holder. So this needs no excuse: no
statement of a worker, a rescuer or a duty may wait for what a caller's transaction holds, however long that is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import NamedTuple

import psycopg

from tests.torture.witness import now

WORKERS = "windlass"
"""The name that our connections have unless their URL gives them another; callers of the rack have another."""
_BETWEEN_LOOKS = 0.25
"""Seconds."""
_LONG = 1.0
"""Seconds from which on a wait counts; none that would be over by itself takes that long."""
_LOOK = """
    SELECT pid, application_name, CAST(query_start AS text), query, pg_blocking_pids(pid) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock'
"""


class Waiter(NamedTuple):
    """A connection that waits for a lock."""

    pid: int
    name: str
    since: str
    """When its statement began, by the server's clock."""
    statement: str
    waits_for: list[int]


def held_up(waiters: Iterable[Waiter], holder: int) -> list[Waiter]:
    """Those that wait for the holder, or for one who does."""
    found: dict[int, Waiter] = {}
    remaining = list(waiters)
    while more := [one for one in remaining if not found.keys().isdisjoint(one.waits_for) or holder in one.waits_for]:
        found |= {one.pid: one for one in more}
        remaining = [one for one in remaining if one.pid not in found]
    return list(found.values())


@dataclass(slots=True)
class LockWatch:
    """Looks again and again who waits for a connection, until it is told that its transaction is over."""

    url: str
    holder: int
    """The process of that connection at the server."""
    found: list[str] = field(default_factory=list)
    """The statements of workers that waited for long."""
    _first_seen: dict[tuple[int, str], float] = field(default_factory=dict)
    _over: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def start(self) -> None:
        self._thread = Thread(target=self._watch, name="torture-locks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def note(self, waiters: Iterable[Waiter], at: float) -> None:
        """Take in one look."""
        waiting = {(one.pid, one.since): one for one in held_up(waiters, self.holder) if one.name == WORKERS}
        self._first_seen = {key: self._first_seen.get(key, at) for key in waiting}
        for key, since in self._first_seen.items():
            statement = " ".join(waiting[key].statement.split())[:150]
            if at - since >= _LONG and statement not in self.found:
                self.found.append(statement)

    def _watch(self) -> None:
        try:
            with psycopg.connect(self.url, autocommit=True, application_name="rack") as connection:
                while not self._over.wait(_BETWEEN_LOOKS):
                    self.note(map(Waiter._make, connection.execute(_LOOK).fetchall()), now())
        except psycopg.Error:
            return  # the server is away, and with it the transaction
