"""Holds the lead: one process at a time runs the duties that need only one."""

from __future__ import annotations

import logging
from collections.abc import Callable

from windlass import clock
from windlass.client.session import Session
from windlass.store.operations.upkeep.leader import LEADER, Lead, resign, take_lead
from windlass.worker.duties.store_watch import StoreWatch

log = logging.getLogger("windlass.duties")

_TTL = 10_000
_EVERY = 3.0
_LOOK = 1.0
"""Seconds between two checks of what this process last read, which cost the store nothing."""


class Leadership:
    """Takes the lead where it is free, and renews it on a thread of its own, so that a slow duty does not cost the
    lead. One duty has to be on time, the firing of schedules: while it hangs, the lead is given up, so that another
    process fires.

    A process that does not lead asks the store for the lead only when the lead was found to be free: of a hundred
    workers one asks, and a leader that resigns or dies is replaced as soon as one of them reads the due times.
    """

    name = "leader"
    needs_lead = False

    def __init__(self, *, session: Session, holder: str, store_watch: StoreWatch) -> None:
        self._session = session
        self._holder = holder
        self._store_watch = store_watch
        self._lead: Lead | None = None
        self.is_hung: Callable[[], bool] = lambda: False
        """Whether the duty that must be on time hangs; set by ``Duties``."""
        self.on_taken: Callable[[], None] = lambda: None
        """Called when this process has taken the lead; set by ``Duties``."""
        self.since: int | None = None
        """Since when this process leads, in milliseconds since 1970 by its own clock; None while it does not."""

    @property
    def did(self) -> str:
        return "leads" if self._lead else ""

    @property
    def term(self) -> Lead | None:
        """The term in which this process leads, as far as it knows; the store knows whether it still does."""
        return self._lead

    def tick(self) -> float:
        if self.is_hung():
            return self._give_up()
        if self._lead is None and not self._store_watch.is_lead_free:
            return _LOOK * (0.5 + clock.roll() / 2)
        found = self._session.run(take_lead(LEADER, holder=self._holder, ttl=_TTL))
        self._took(found if found.holder == self._holder else None)
        self._store_watch.is_lead_free = False
        return _EVERY if self._lead else _LOOK

    def resign(self) -> None:
        """Let another process lead at once."""
        if self._lead is not None:
            self._session.run(resign(self._lead))
            self._took(None)

    def _give_up(self) -> float:
        """Give the lead up to a process whose duties work; this one asks for it again when its own do."""
        if self._lead is not None:
            log.error("a round of scheduling has not ended for long: this process gives up the lead")
            self.resign()
        return _EVERY

    def _took(self, lead: Lead | None) -> None:
        is_new = lead is not None and (self._lead is None or lead.term != self._lead.term)
        self._lead = lead
        if lead is None:
            self.since = None
        elif is_new:
            self.since = clock.now()
            self.on_taken()
