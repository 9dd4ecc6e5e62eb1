"""Upkeep in ticks that every worker does: promote and rescue."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.driver import Topic
from windlass.store.jobs import promote, rescue
from windlass.store.noticing import notice
from windlass.store.reading import upcoming
from windlass.worker.duties.store_clock import StoreClock

log = logging.getLogger("windlass.duties")

_LONGEST = 0.5
"""Jobs that others schedule are noticed within this many seconds."""


class Duties:
    """One round of upkeep per ``tick()``. Everything here is idempotent; any number may do it at once."""

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        now: Callable[[], int],
        beat: float,
        store_clock: StoreClock,
    ) -> None:
        self._session = session
        self._by = by
        self._now = now
        self._beat = beat
        self._store_clock = store_clock
        self._is_away = False
        self._patient_until = 0.0

    def tick(self) -> float:
        """Do what is due; the seconds until the next round."""
        try:
            pause = self._upkeep()
        except StoreUnavailable as error:
            if not self._is_away:
                log.warning("store unavailable, duties wait: %s", error)
            # Others cannot renew either: nobody is declared dead before they had one heartbeat's time for it.
            self._is_away = True
            return _LONGEST + clock.roll()
        if self._is_away:
            self._is_away = False
            self._be_patient(self._beat)
        return pause

    def _upkeep(self) -> float:
        began = self._store_clock.monotonic()
        ahead = self._session.run(upcoming())
        if step := self._store_clock.step(began, now=ahead.now):
            self._wait_after(step)
        if ahead.next_due is not None and ahead.next_due <= 0:
            self._session.run(promote(by=self._by))
            self._session.tell(Topic.WORK)
        if ahead.next_expiry is not None and ahead.next_expiry <= 0 and not self._is_patient():
            self._rescue()
        to_come = [left for left in (ahead.next_due, ahead.next_expiry) if left is not None and left > 0]
        return min([_LONGEST, *(left / 1000 + 0.02 * clock.roll() for left in to_come)])

    def _is_patient(self) -> bool:
        return self._is_away or clock.monotonic() < self._patient_until

    def _be_patient(self, seconds: float) -> None:
        self._patient_until = max(self._patient_until, clock.monotonic() + seconds)

    def _wait_after(self, step: float) -> None:
        """Give those who live the time to renew: by a clock that was stepped, everybody's lease may be over."""
        # A worker that has just renewed does so again after one heartbeat, and the moment until its next round.
        patience = 2 * self._beat
        self._be_patient(patience)
        log.warning(
            "the store's clock was stepped by %+.1f s, or this host slept: nobody is declared dead from here for the "
            "next %.1f s; jobs become due by the new time",
            step,
            patience,
        )
        self._session.run(notice("stepped", [(self._by, msgspec.json.encode({"seconds": step}).decode())]))

    def _rescue(self) -> None:
        rescued = self._session.run(rescue(by=self._by, now=self._now))
        for job in rescued:
            log.warning("rescued job %s from a worker that was lost; it is %s now", job.id, job.state)
        if rescued:
            self._session.tell(Topic.WORK)
