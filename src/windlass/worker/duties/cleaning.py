"""Deletes finished jobs that retention no longer keeps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from windlass.admin.cleanup.cleanup import Cleaned, CleaningRound, record
from windlass.admin.cleanup.finished_line import Step
from windlass.archive.writers import ArchiveWriter
from windlass.client.session import Session
from windlass.retention import Retention
from windlass.store.operations.upkeep.prune import FinishedLine, Position
from windlass.store.operations.upkeep.tidy import FIRST_KEY

log = logging.getLogger("windlass.duties")

_EVERY = 60.0
_SOON = 10.0
"""Seconds until the next cleaning where the last one had much to do: it must keep up with busy workers."""
_MUCH = 10_000
"""Jobs."""
_LONGEST_TICK = 1.0
_LONGEST_PAUSE = 3.0
_FORGOTTEN = 30.0
"""Seconds; a cleaning that was interrupted for so long starts from the beginning, for the settings may have changed."""
_SLOW = 180.0
_KEY_PAGES = 4
"""How many pages of unique keys one cleaning checks: their jobs are missing only where rows were deleted by hand."""
_FLOW_PAGES = 20
"""How many pages of jobs of flows, of each queue and state, one cleaning looks at: they may have to be kept."""


class Cleaning:
    """The leader does it, every minute. A tick works for about a second; the next one goes on from there."""

    name = "cleaning"
    needs_lead = True

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        retention: Callable[[], Retention],
        archive: Callable[[], ArchiveWriter | None],
        monotonic: Callable[[], float],
    ) -> None:
        self._session = session
        self._by = by
        self._retention = retention
        self._archive = archive
        self._monotonic = monotonic
        self._due = monotonic() + _EVERY
        self._began = self._ticked = 0.0
        self._next_key = FIRST_KEY
        self._flow_positions: dict[FinishedLine, Position] = {}
        self._round: CleaningRound | None = None
        self._steps: Iterator[Step] = iter(())
        self.did = ""

    def tick(self) -> float:
        now = self._monotonic()
        if self._round is not None and now - self._ticked > _FORGOTTEN:
            self._round = None
        if self._round is None:
            if now < self._due:
                return min(self._due - now, _LONGEST_PAUSE)
            self._begin(now)
        try:
            is_done = self._work(until=now + _LONGEST_TICK)
        finally:
            self._ticked = self._monotonic()
        if not is_done:
            return 0.0
        self._end()
        return min(max(0.0, self._due - self._monotonic()), _LONGEST_PAUSE)

    def _begin(self, now: float) -> None:
        self._began = now
        self._round = CleaningRound(
            self._retention(),
            self._archive(),
            by=self._by,
            first_key=self._next_key,
            key_pages=_KEY_PAGES,
            flow_positions=self._flow_positions,
            flow_pages=_FLOW_PAGES,
        )
        self._steps = self._round.steps()

    def _work(self, *, until: float) -> bool:
        """Take steps for a while; true when the cleaning is complete."""
        for step in self._steps:
            self._session.run(step)
            if self._monotonic() >= until:
                return False
        return True

    def _end(self) -> None:
        assert self._round is not None
        cleaned = Cleaned(self._round.deleted, self._round.archived, self._monotonic() - self._began)
        self._next_key = self._round.next_key
        self._round = None
        self._due = self._began + (_SOON if cleaned.deleted >= _MUCH else _EVERY)
        if cleaned.deleted:
            self.did = f"deleted {cleaned.deleted:,}, archived {cleaned.archived:,}"
        self._session.run(record(cleaned, by=self._by))
        if cleaned.seconds > _SLOW:
            log.warning("cleaning took %.0f s for %s jobs", cleaned.seconds, cleaned.deleted)
