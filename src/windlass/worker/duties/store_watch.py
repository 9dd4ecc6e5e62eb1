"""Reads what is due next, which leases expire next and which worker is the keeper, once for all duties."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from threading import Lock

import msgspec
from msgspec.structs import replace

from windlass import clock
from windlass.client.session import Session
from windlass.errors import StoreUnavailable
from windlass.store.operations.events import record_store_events
from windlass.store.operations.queries import NextDue, next_due
from windlass.worker.duties.clock_step import StoreClock
from windlass.worker.duties.rescue_deferral import RescueDeferral

log = logging.getLogger("windlass.duties")

_LONGEST_PAUSE = 0.5
"""Jobs that others schedule are noticed within this many seconds."""
_SHARE = 0.25
"""Seconds between two reads by workers that are not the keeper, all of them together."""
_STRAYS_AFTER = 5.0
"""Seconds between two searches for jobs whose lease is not open any more: a rescue that was cut short leaves some."""
_SELDOM = 10.0
"""Seconds; a worker that is not the keeper reads at least so often, and so finds out that it has become the keeper."""


class StoreWatch:
    """What the store last said: what is due next, whether this worker is the keeper, how many workers there are, and
    whether the lead is free.

    One worker, the oldest, is the keeper of the store and reads when something is due. The others read now and then,
    the more of them the more seldom: a store of many workers is read hardly more often than that of one, and nothing
    stands still before the death of a keeper is noticed.
    """

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        deferral: RescueDeferral,
        store_clock: StoreClock,
        lease: Callable[[], str | None] = lambda: None,
        ending: str = "",
    ) -> None:
        """``ending`` is how the names of the leases of workers end that serve the same queues."""
        self._session = session
        self._by = by
        self._deferral = deferral
        self._store_clock = store_clock
        self._lock = Lock()
        self._newest: tuple[float, NextDue] | None = None
        self._strays_due = 0.0
        """When to check every lease that holds jobs, on the monotonic clock."""
        self._lease = lease
        self._ending = ending
        self.is_keeper = True
        """Whether this process is the keeper, by the newest read; without a lease it always is."""
        self.workers = 1
        """How many workers there were at the newest read."""
        self.peers = 1
        """How many of them serve the same queues."""
        self.is_lead_free = True
        """Whether no process led at the newest read."""

    @property
    def longest_pause(self) -> float:
        """Seconds between two reads."""
        return _LONGEST_PAUSE if self.is_keeper else min(_SELDOM, max(_LONGEST_PAUSE, self.workers * _SHARE))

    def pause(self, left: int | None) -> float:
        """The seconds until the next read when something is due in so many milliseconds, or when nothing is known to be
        due.
        """
        if not self.is_keeper:
            return self.longest_pause * (0.5 + clock.roll())
        if left is None or left <= 0:
            return _LONGEST_PAUSE
        return min(_LONGEST_PAUSE, left / 1000 + 0.02 * clock.roll())

    def read(self, *, max_age: float = 0.0) -> NextDue:
        """What is due next; the store is not read again if it was read less than ``max_age`` seconds ago."""
        with self._lock:
            now = clock.monotonic()
            if self._newest is not None and now - self._newest[0] < max_age:
                return _later(self._newest[1], round((now - self._newest[0]) * 1000))
            ahead = self._ask()
            self._newest = (clock.monotonic(), ahead)
            return ahead

    def note_rescue(self) -> None:
        """A rescue may have missed jobs: they have no lease any more, and are searched for at once."""
        self._strays_due = 0.0

    def _ask(self) -> NextDue:
        began = self._store_clock.monotonic()
        now = clock.monotonic()
        wants_strays = now >= self._strays_due
        try:
            ahead = self._session.upkeep(next_due(strays=wants_strays, ending=self._ending))
        except StoreUnavailable:
            self._deferral.note_outage()
            raise
        lease, was_keeper = self._lease(), self.is_keeper
        self.workers, self.is_keeper = ahead.workers, lease is None or ahead.keeper in (None, lease)
        self.peers = ahead.peers
        if wants_strays:
            self._strays_due = now + self._strays_pause(ahead)
        elif self.is_keeper and not was_keeper:
            self._strays_due = now
        self.is_lead_free = ahead.is_lead_free
        self._deferral.note_answer()
        if step := self._store_clock.step(began, now=ahead.now):
            self._note_step(step)
        return ahead

    def _strays_pause(self, ahead: NextDue) -> float:
        """The seconds until the next search for jobs without an open lease: the keeper does it for all. What was found
        is searched for again until it is rescued.
        """
        if ahead.next_expiry is not None and ahead.next_expiry <= 0:
            return 0.0
        return _STRAYS_AFTER if self.is_keeper else inf

    def _note_step(self, step: float) -> None:
        patience = self._deferral.note_clock_step()
        log.warning(
            "the store's clock was stepped by %+.1f s, or this host slept: no lease is ended from here for the "
            "next %.1f s; jobs become due by the new time",
            step,
            patience,
        )
        self._session.run(record_store_events("stepped", [(self._by, msgspec.json.encode({"seconds": step}).decode())]))


def _later(ahead: NextDue, passed: int) -> NextDue:
    def left(then: int | None) -> int | None:
        return None if then is None else then - passed

    return replace(
        ahead,
        next_due=left(ahead.next_due),
        next_expiry=left(ahead.next_expiry),
        next_end=left(ahead.next_end),
        now=ahead.now + passed,
    )
