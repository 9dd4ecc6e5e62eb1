"""Cleans one line of finished jobs, those of one queue and state; jobs of flows apart, when all of a flow has ended."""

from __future__ import annotations

import logging

from windlass.archive.writers import ArchiveWriter
from windlass.errors import StoreUnavailable
from windlass.retention import Retention
from windlass.store.driver import DataRejected
from windlass.store.operation import Operation
from windlass.store.operations.flows.ended import EndedFlows
from windlass.store.operations.queries import read_whole
from windlass.store.operations.upkeep import prune
from windlass.store.operations.upkeep.prune import FinishedLine, Position, Prunable
from windlass.store.pages import PAGE, PageSize, answers, portions

log = logging.getLogger("windlass.duties")

Step = Operation[None]


class FinishedLineCleaning:
    """The finished jobs of one queue and state, the oldest first, a page at a time."""

    def __init__(self, line: FinishedLine, policy: Retention, archive: ArchiveWriter | None, by: str) -> None:
        self.line = line
        self.policy = policy
        self.archive = archive
        self.by = by
        self._size = PageSize()
        self._beyond: Position | None = None
        self._has_counted = policy.at_most is None
        self._after = prune.OLDEST
        self._found: list[Prunable] = []
        self._is_last = False
        self._looks_first = archive is not None
        self.is_done = False
        self.deleted = 0
        self.archived = 0

    @classmethod
    def of_known(
        cls, line: FinishedLine, jobs: list[Prunable], archive: ArchiveWriter | None, by: str
    ) -> FinishedLineCleaning:
        """What cleans these jobs of a line, and no others."""
        cleaning = cls(line, Retention(at_most=None), archive, by)
        cleaning._found, cleaning._is_last, cleaning._looks_first = jobs, True, True
        return cleaning

    def clean_page(self) -> Step:
        """Delete or archive the next jobs, as many as one call can carry."""
        if not self._has_counted:
            # Once in a round: the position does not change, and counting to it reads all that is kept.
            self._has_counted = True
            assert self.policy.at_most is not None
            self._beyond = yield from prune.retention_position(self.line, keep=self.policy.at_most)
        if self._looks_first:
            yield from self._read_and_prune()
        else:
            yield from self._prune_unseen()

    def _prune_unseen(self) -> Step:
        """Remove the next jobs in one call. If that fails, one of them cannot be removed, or they are too many: they
        are read.
        """
        try:
            pruned = yield from prune.prune_oldest(
                self.line, age=self._age, beyond=self._beyond, after=self._after, by=self.by
            )
        except (StoreUnavailable, DataRejected):
            if not (yield from answers()):
                raise
            self._looks_first = True
            return
        if pruned is not None:
            self.deleted += pruned.count
            self._after = pruned.position
        self.is_done = pruned is None or not pruned.has_more

    def _read_and_prune(self) -> Step:
        if not self._found:
            yield from self._read()
        page = next(portions(self._found, rows=self._size.rows), [])
        if page:
            yield from self._pass(page)
        if not self._found:
            self.is_done = self._is_last
            self._looks_first = self.archive is not None or self._size.rows < PAGE

    def _read(self) -> Step:
        self._found = yield from prune.prunable(
            self.line, age=self._age, beyond=self._beyond, after=self._after, by=self.by
        )
        self._is_last = len(self._found) < PAGE

    def of_flows(self, positions: dict[FinishedLine, Position], pages: int | None) -> FlowCleaning:
        """What cleans those of the same jobs that waited for others, or others for them."""
        return FlowCleaning(self, beyond=self._beyond, positions=positions, pages=pages)

    @property
    def _age(self) -> int:
        return self.policy.age(self.line.state)

    def _pass(self, page: list[Prunable]) -> Step:
        """Remove a page, or, where one job cannot be removed, go on after it."""
        try:
            yield from self._let_go(page)
        except (StoreUnavailable, DataRejected) as error:
            if not (yield from answers()):
                raise
            if not self._size.failed(len(page), error):
                return
            log.error("the job with the number %s cannot be removed now: %s", page[0].seq, error)
        else:
            self._size.succeeded()
        self._after = page[-1].position
        self._found = self._found[len(page) :]

    def _let_go(self, page: list[Prunable]) -> Step:
        going = page
        if self.archive is not None:
            kept = set((yield from self.archive.write((yield from read_whole(page)))))
            self.archived += len(kept)
            going = [job for job in page if job.seq in kept]
        if going:
            self.deleted += yield from prune.prune(self.line, going, by=self.by)


class FlowCleaning(FinishedLineCleaning):
    """Those finished jobs that waited for others, or others for them: a flow goes when all of it has ended."""

    def __init__(
        self,
        like: FinishedLineCleaning,
        *,
        beyond: Position | None,
        positions: dict[FinishedLine, Position],
        pages: int | None,
    ) -> None:
        """``positions`` are the places where the rounds before have stopped; this one leaves its own there."""
        super().__init__(like.line, like.policy, like.archive, like.by)
        self._beyond, self._has_counted = beyond, True
        self._looks_first = True
        self._ended = EndedFlows()
        self._positions = positions
        self._pages = pages
        self._read_to = positions.pop(self.line, prune.OLDEST)

    def _read(self) -> Step:
        found = yield from prune.prunable(
            self.line, age=self._age, beyond=self._beyond, after=self._read_to, flows=True, by=self.by
        )
        self._is_last = len(found) < PAGE
        if not found:
            return
        ended = yield from self._ended.among([job.seq for job in found])
        self._found = [job for job in found if job.seq in ended]
        self._read_to = found[-1].position
        if self._pages is not None:
            self._pages -= 1
        if not self._is_last and self._pages == 0:
            self._positions[self.line] = self._read_to
            self._is_last = True

    def _read_and_prune(self) -> Step:
        yield from super()._read_and_prune()
        self._looks_first = True
