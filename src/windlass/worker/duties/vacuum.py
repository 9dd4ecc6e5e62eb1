"""Vacuums the hot tables (PostgreSQL); warns of a transaction that blocks it."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from windlass import clock
from windlass.client.session import Session
from windlass.store.operations.events import record_store_events
from windlass.store.operations.upkeep.vacuum import VacuumBlocker, vacuum, vacuum_blocker

log = logging.getLogger("windlass.duties")

_EVERY = 3.0
_AGAIN = 1.0
"""Seconds; a table that had to be vacuumed is in heavy use, and claims have to step over its dead rows."""
_TOLERATED = 60.0
"""Seconds; a shorter transaction does no harm that would be noticed."""


class Vacuum:
    """The leader does it, unless the transaction that blocked it the last time is still open."""

    name = "vacuum"
    needs_lead = True

    def __init__(self, *, session: Session, by: str, monotonic: Callable[[], float]) -> None:
        self._session = session
        self._by = by
        self._monotonic = monotonic
        self._vacuum_blocker: VacuumBlocker | None = None
        self._blocked_since = 0.0
        self._has_warned = False
        self.did = ""

    def tick(self) -> float:
        if self._vacuum_blocker is not None and self._session.run(vacuum_blocker()) == self._vacuum_blocker:
            self._warn(self._vacuum_blocker)
            return _EVERY
        swept = self._session.run(vacuum())
        self._vacuum_blocker, self._blocked_since, self._has_warned = swept.vacuum_blocker, self._monotonic(), False
        if swept.tables:
            self.did = "vacuumed"
        return _AGAIN if swept.tables else _EVERY

    def _warn(self, vacuum_blocker: VacuumBlocker) -> None:
        """Warn of a transaction, once, when it has been open for long."""
        if self._has_warned or self._monotonic() - self._blocked_since < _TOLERATED:
            return
        self._has_warned = True
        log.warning(
            "%s has had a transaction open %s: what jobs leave behind cannot be removed, and claims get slower "
            "until it ends",
            vacuum_blocker.holder,
            _since(vacuum_blocker),
        )
        detail = {"holder": vacuum_blocker.holder, "since": vacuum_blocker.since}
        self._session.run(record_store_events("hindered", [(self._by, msgspec.json.encode(detail).decode())]))


def _since(vacuum_blocker: VacuumBlocker) -> str:
    if vacuum_blocker.since is None:
        return "for over a minute"
    return f"since {clock.instant(vacuum_blocker.since):%Y-%m-%d %H:%M:%S} UTC"
