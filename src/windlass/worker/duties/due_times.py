"""What is due next and which leases expire next, asked once for all."""

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

log = logging.getLogger("windlass.duties")

_LONGEST_PAUSE = 0.5
"""Jobs that others schedule are noticed within this many seconds."""
_SHARE = 0.25
"""Seconds between two reads by workers that are not the keeper, all of them together."""
_STRAYS_AFTER = 5.0
"""Seconds between two searches for jobs whose lease is not open any more: a rescue that was cut short leaves some."""
_SELDOM = 10.0
"""Seconds; a worker that is not the keeper reads at least so often, and so finds out that it has become the keeper."""


class DueTimes:
    """What the store last said is due next, and whether leases may be ended by it.

    One worker, the oldest, is the keeper of the store and reads when something is due. The others read now and then,
    the more of them the more seldom: a store of many workers is read hardly more often than that of one, and nothing
    stands still before the death of a keeper is noticed.

    After an outage, and after a step of the store's clock, no lease is ended before live workers had the time to renew
    theirs.
    """

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        beat: float,
        store_clock: StoreClock,
        lease: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._session = session
        self._by = by
        self._beat = beat
        self._store_clock = store_clock
        self._lock = Lock()
        self._newest: tuple[float, NextDue] | None = None
        self._strays_due = 0.0
        """When to check every lease that holds jobs, on the monotonic clock."""
        self._is_away = False
        self._patient_until = 0.0
        self._lease = lease
        self.is_keeper = True
        """Whether this process is the keeper, by the newest read; without a lease it always is."""
        self.workers = 1
        """How many workers there were at the newest read."""
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

    def note_outage(self) -> None:
        """The store was away: other workers could not renew either."""
        self._is_away = True

    @property
    def defers_rescue(self) -> bool:
        """Whether no lease may be ended yet."""
        return self._is_away or clock.monotonic() < self._patient_until

    def _ask(self) -> NextDue:
        began = self._store_clock.monotonic()
        now = clock.monotonic()
        wants_strays = now >= self._strays_due
        try:
            ahead = self._session.upkeep(next_due(strays=wants_strays))
        except StoreUnavailable:
            self.note_outage()
            raise
        lease, was_keeper = self._lease(), self.is_keeper
        self.workers, self.is_keeper = ahead.workers, lease is None or ahead.keeper in (None, lease)
        if wants_strays:
            self._strays_due = now + self._strays_pause(ahead)
        elif self.is_keeper and not was_keeper:
            self._strays_due = now
        self.is_lead_free = ahead.is_lead_free
        if self._is_away:
            self._is_away = False
            self._defer_rescue(self._beat)
        if step := self._store_clock.step(began, now=ahead.now):
            self._wait_after(step)
        return ahead

    def _strays_pause(self, ahead: NextDue) -> float:
        """The seconds until the next search for jobs without an open lease: the keeper does it for all. What was found
        is searched for again until it is rescued.
        """
        if ahead.next_expiry is not None and ahead.next_expiry <= 0:
            return 0.0
        return _STRAYS_AFTER if self.is_keeper else inf

    def _defer_rescue(self, seconds: float) -> None:
        self._patient_until = max(self._patient_until, clock.monotonic() + seconds)

    def _wait_after(self, step: float) -> None:
        """Give live workers the time to renew: by a clock that was stepped, every lease may have expired."""
        # A worker that has just renewed does so again after one heartbeat and the pause until its next round.
        patience = 2 * self._beat
        self._defer_rescue(patience)
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

    return replace(ahead, next_due=left(ahead.next_due), next_expiry=left(ahead.next_expiry), now=ahead.now + passed)
