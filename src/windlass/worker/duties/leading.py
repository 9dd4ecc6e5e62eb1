"""What one worker does for all: sweeping and cleaning, by the leader. The other duties must not wait for it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from windlass import clock
from windlass.clean import clean
from windlass.errors import StoreUnavailable
from windlass.retention import Archive, Retention
from windlass.session import Session
from windlass.store.leader import Lead, lead, leads, resign
from windlass.worker.duties.sweeping import Sweeping

log = logging.getLogger("windlass.duties")

_LEADER = "leader"
_TTL = 10_000
_EVERY = 3.0
_SWEEP_AGAIN = 1.0
"""Seconds; what had to be swept is in heavy use, and claims step over what lies about."""
_CLEAN_EVERY = 60.0
_SLOW_CLEANING = 180.0


class Leading:
    """``tick()`` takes or keeps the lead, and cleans when that is due and the lead is ours."""

    def __init__(
        self,
        *,
        session: Session,
        holder: str,
        by: str,
        sweeping: Sweeping,
        retention: Callable[[], Retention],
        archive: Callable[[], Archive | None],
        monotonic: Callable[[], float],
    ) -> None:
        self._session = session
        self._holder = holder
        self._by = by
        self._sweeping = sweeping
        self._retention = retention
        self._archive = archive
        self._monotonic = monotonic
        self._lead: Lead | None = None
        self._is_away = False
        self._cleaned = self._monotonic()

    def tick(self) -> float:
        """One round; the seconds until the next."""
        try:
            self._lead = self._session.run(lead(_LEADER, holder=self._holder, ttl=_TTL))
            pause = _EVERY
            if self._lead.holder == self._holder:
                if self._sweeping.tick():
                    pause = _SWEEP_AGAIN
                if self._monotonic() - self._cleaned >= _CLEAN_EVERY:
                    self._cleaned = self._monotonic()
                    self._clean(self._lead)
        except StoreUnavailable as error:
            if not self._is_away:
                log.info("store unavailable, nobody leads from here: %s", error)
            self._is_away = True
            return _EVERY + clock.roll()
        self._is_away = False
        return pause

    def resign(self) -> None:
        """Let another lead at once."""
        if self._lead is not None and self._lead.holder == self._holder:
            self._session.run(resign(self._lead))
            self._lead = None

    def _clean(self, term: Lead) -> None:
        if not self._session.run(leads(term)):
            return
        cleaned = self._session.run(clean(self._retention(), self._archive(), by=self._by, monotonic=self._monotonic))
        if cleaned.seconds > _SLOW_CLEANING:
            log.warning("cleaning took %.0f s for %s jobs", cleaned.seconds, cleaned.deleted)
