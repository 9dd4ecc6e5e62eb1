"""Deletes finished jobs before their time while memory or disk run out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from windlass.admin.cleanup.early_cleaning import EarlyCleaning, EarlyRound, Fullness, record_early_cleaning
from windlass.admin.cleanup.finished_line import Step
from windlass.archive.writers import ArchiveWriter
from windlass.client.session import Session

_EVERY = 3.0
_REST = 10.0
"""Seconds until the next round where the last one freed nothing that can be seen: a file does not get smaller, and
memory may be full of jobs that wait.
"""
_LONGEST_TICK = 1.0
_RECORDED_EVERY = 60.0


class EarlyCleaner:
    """The leader does it, where it is switched on. A full server has to be emptied as fast as it is filled: where a
    round made room, the next follows at once, until there is enough.
    """

    name = "early cleaning"
    needs_lead = True

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        archive: Callable[[], ArchiveWriter | None],
        early: EarlyCleaning,
        monotonic: Callable[[], float],
    ) -> None:
        self._session = session
        self._by = by
        self._archive = archive
        self._early = early
        self._monotonic = monotonic
        self._full: Fullness | None = None
        self._round: EarlyRound | None = None
        self._steps: Iterator[Step] = iter(())
        self._unrecorded = 0
        self._recorded_at: float | None = None
        self.did = ""

    def tick(self) -> float:
        if self._round is None and not self._begin():
            self._record()
            return _EVERY
        assert self._round is not None
        until = self._monotonic() + _LONGEST_TICK
        for step in self._steps:
            self._session.run(step)
            if self._monotonic() >= until:
                return 0.0
        return self._end(self._round)

    def _begin(self) -> bool:
        """Whether it is too full."""
        full = self._session.run(self._early.wanted())
        if full is None:
            return False
        self._full = full
        self._round = EarlyRound(self._archive(), by=self._by)
        self._steps = self._round.steps()
        return True

    def _end(self, round: EarlyRound) -> float:
        self._round = None
        if round.deleted:
            self.did = f"deleted {round.deleted:,} early"
            self._unrecorded += round.deleted
        if self._recorded_at is None or self._monotonic() - self._recorded_at >= _RECORDED_EVERY:
            self._record()
        made_room = round.deleted and self._full is not None and self._full.of == "memory"
        return 0.0 if made_room else _REST

    def _record(self) -> None:
        """One notice for many rounds."""
        if self._full is not None and self._unrecorded:
            self._session.run(record_early_cleaning(self._full, self._unrecorded, by=self._by))
            self._unrecorded, self._recorded_at = 0, self._monotonic()
