"""The lead: which of all processes does what one does for all."""

from __future__ import annotations

from windlass.session import Session
from windlass.store.leader import Lead, lead, resign

_LEADER = "leader"
_TTL = 10_000
_EVERY = 3.0


class Leadership:
    """Takes the lead where it is free, and renews it on a thread of its own, so that no slow duty costs the lead."""

    name = "leader"
    needs_lead = False

    def __init__(self, *, session: Session, holder: str) -> None:
        self._session = session
        self._holder = holder
        self._lead: Lead | None = None

    @property
    def term(self) -> Lead | None:
        """The term in which this process leads, as far as it knows; the store knows whether it still does."""
        return self._lead

    def tick(self) -> float:
        found = self._session.run(lead(_LEADER, holder=self._holder, ttl=_TTL))
        self._lead = found if found.holder == self._holder else None
        return _EVERY

    def resign(self) -> None:
        """Let another lead at once."""
        if self._lead is not None:
            self._session.run(resign(self._lead))
            self._lead = None
