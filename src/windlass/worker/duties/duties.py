"""Upkeep in ticks that every worker does: promote and rescue."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.driver import Topic
from windlass.store.jobs import promote, rescue
from windlass.store.reading import upcoming

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
    ) -> None:
        self._session = session
        self._by = by
        self._now = now
        self._beat = beat
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
            self._is_away, self._patient_until = True, inf
            return _LONGEST + clock.roll()
        if self._is_away:
            self._is_away, self._patient_until = False, clock.monotonic() + self._beat
        return pause

    def _upkeep(self) -> float:
        ahead = self._session.run(upcoming())
        if ahead.next_due is not None and ahead.next_due <= 0:
            self._session.run(promote())
            self._session.tell(Topic.WORK)
        if ahead.next_expiry is not None and ahead.next_expiry <= 0 and clock.monotonic() >= self._patient_until:
            self._rescue()
        to_come = [left for left in (ahead.next_due, ahead.next_expiry) if left is not None and left > 0]
        return min([_LONGEST, *(left / 1000 + 0.02 * clock.roll() for left in to_come)])

    def _rescue(self) -> None:
        rescued = self._session.run(rescue(by=self._by, now=self._now))
        for job in rescued:
            log.warning("rescued job %s from a worker that was lost; it is %s now", job.id, job.state)
        if rescued:
            self._session.tell(Topic.WORK)
