"""Deletes or archives finished jobs that retention no longer keeps, in small steps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass import clock
from windlass.archive.writers import ArchiveWriter
from windlass.core.state import FINISHED
from windlass.errors import StoreUnavailable
from windlass.insight.timeline import detail_of
from windlass.retention import Retention, read_retention
from windlass.store.driver import DataRejected
from windlass.store.operation import Operation
from windlass.store.operations import prune, queues
from windlass.store.operations.events import record_store_events
from windlass.store.operations.flows.ended import EndedFlows, flows_exist
from windlass.store.operations.prune import FinishedLine, Position, Prunable
from windlass.store.operations.queries import notices, read_whole
from windlass.store.operations.tidy import (
    FIRST_KEY,
    tidy_access,
    tidy_alerts,
    tidy_cache,
    tidy_events,
    tidy_keys,
    tidy_leftovers,
    tidy_windows,
)
from windlass.store.pages import PAGE, PageSize, answers, portions

log = logging.getLogger("windlass.duties")

Step = Operation[None]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What one round of cleaning did."""

    deleted: int = 0
    archived: int = 0
    seconds: float = 0.0


def clean(
    default: Retention, archive: ArchiveWriter | None, *, by: str, monotonic: Callable[[], float]
) -> Operation[Cleaned]:
    """One whole round of cleaning. The first error is raised at the end, when everything else is clean."""
    began = monotonic()
    cleaning = CleaningRound(default, archive, by=by)
    for step in cleaning.steps():
        yield from step
    cleaned = Cleaned(cleaning.deleted, cleaning.archived, monotonic() - began)
    yield from record(cleaned, by=by)
    if cleaning.failure is not None:
        raise cleaning.failure
    return cleaned


def record(cleaned: Cleaned, *, by: str) -> Operation[None]:
    """Write a store event with what was cleaned and how long it took, if there was something."""
    if cleaned.deleted:
        detail = {"deleted": cleaned.deleted, "archived": cleaned.archived, "seconds": round(cleaned.seconds, 3)}
        yield from record_store_events("cleaned", [(by, msgspec.json.encode(detail).decode())])


def cleanings(limit: int) -> Operation[list[dict[str, Any]]]:
    """The last cleanings, the newest first."""
    found = yield from notices()
    cleaned = [notice for notice in found if notice.kind == "cleaned"]
    return [
        {"at": clock.instant(notice.at), "by": notice.worker, **detail_of(notice.detail)} for notice in cleaned[:limit]
    ]


class CleaningRound:
    """One round over all queues, then over what grows besides jobs.

    ``steps()`` yields one short operation after the other; each is run before the next is asked for, so that a round
    can be interrupted after each of them. An error of one part does not keep the others from their turn; a store that
    does not answer raises ``StoreUnavailable``, and the next step repeats that one.
    """

    def __init__(
        self,
        default: Retention,
        archive: ArchiveWriter | None,
        *,
        by: str,
        first_key: str = FIRST_KEY,
        key_pages: int | None = None,
        flow_positions: dict[FinishedLine, Position] | None = None,
        flow_pages: int | None = None,
    ) -> None:
        self._default = default
        self._archive = archive
        self._by = by
        self._key_pages = key_pages
        self._flow_pages = flow_pages
        self.flow_positions: dict[FinishedLine, Position] = flow_positions or {}
        self.next_key = first_key
        """Where the check of the unique keys goes on; ``key_pages`` is how many pages it checks in one round.

        ``flow_positions`` are the places where the next round goes on with jobs of flows, which may have to be kept in
        any number; ``flow_pages`` is how many pages of a line one round looks at.
        """
        self.deleted = 0
        self.archived = 0
        self.failure: Exception | None = None
        """The first error."""

    def steps(self) -> Iterator[Step]:
        lines: list[FinishedLineCleaning] = []
        yield self._begin(lines)
        for line in lines:
            while not line.is_done:
                yield self._clean(line)
        flows: list[_FlowCleaning] = []
        yield self._begin_flows(lines, flows)
        for flow_line in flows:
            while not flow_line.is_done:
                yield self._clean(flow_line)
        for tidy in (tidy_events, tidy_leftovers, tidy_access, tidy_alerts, tidy_windows, tidy_cache):
            part = _Part(tidy)
            while part.has_more:
                yield self._tidy(part)
        keys = _Part(self._tidy_keys)
        while keys.has_more:
            yield self._tidy(keys)

    def _begin(self, lines: list[FinishedLineCleaning]) -> Step:
        settings = yield from queues.settings()
        everywhere = read_retention(settings.get(queues.ALL, queues.QueueRecord(queues.ALL)).retention)
        for name, queue in settings.items():
            policy = read_retention(queue.retention) or everywhere or self._default
            if name != queues.ALL:
                found = [FinishedLine(name, state) for state in sorted(FINISHED)]
                lines += [FinishedLineCleaning(line, policy, self._archive, self._by) for line in found]

    def _begin_flows(self, lines: list[FinishedLineCleaning], flows: list[_FlowCleaning]) -> Step:
        if (yield from flows_exist()):
            flows += [line.of_flows(self.flow_positions, self._flow_pages) for line in lines]

    def _clean(self, line: FinishedLineCleaning) -> Step:
        before = line.deleted, line.archived
        try:
            yield from line.clean_page()
        except Exception as error:  # an archive may be the user's own
            line.is_done = yield from self._is_passed_by(error, f"queue {line.line.queue}, {line.line.state} jobs")
        self.deleted += line.deleted - before[0]
        self.archived += line.archived - before[1]

    def _tidy(self, part: _Part) -> Step:
        try:
            part.has_more = yield from part.tidy()
        except Exception as error:
            part.has_more = not (yield from self._is_passed_by(error, part.tidy.__name__))

    def _is_passed_by(self, error: Exception, what: str) -> Operation[bool]:
        """True if the rest goes on without what has failed. Raises if the store does not answer."""
        if not (yield from answers()):
            raise error
        log.error("cleaning goes on without %s: %s", what, error)
        self.failure = self.failure or error
        return True

    def _tidy_keys(self) -> Operation[bool]:
        if self._key_pages is not None:
            self._key_pages -= 1
        found = yield from tidy_keys(self.next_key)
        self.next_key = FIRST_KEY if found is None else found
        return found is not None and self._key_pages != 0


@dataclass(slots=True)
class _Part:
    """Something that is cleaned in steps."""

    tidy: Callable[[], Operation[bool]]
    has_more: bool = True


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

    def of_flows(self, positions: dict[FinishedLine, Position], pages: int | None) -> _FlowCleaning:
        """What cleans those of the same jobs that waited for others, or others for them."""
        return _FlowCleaning(self, beyond=self._beyond, positions=positions, pages=pages)

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


class _FlowCleaning(FinishedLineCleaning):
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
