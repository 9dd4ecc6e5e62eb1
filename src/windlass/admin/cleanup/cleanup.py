"""Deletes or archives finished jobs that retention no longer keeps, in small steps."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from windlass import clock
from windlass.admin.cleanup.finished_line import FinishedLineCleaning, FlowCleaning, Step
from windlass.archive.writers import ArchiveWriter
from windlass.core.state import FINISHED
from windlass.insight import reads
from windlass.retention import Retention, read_retention
from windlass.store.operation import Operation
from windlass.store.operations import queues
from windlass.store.operations.events import record_store_events
from windlass.store.operations.flows.ended import flows_exist
from windlass.store.operations.queries import notices
from windlass.store.operations.upkeep.prune import FinishedLine, Position
from windlass.store.operations.upkeep.tidy import (
    AT_ONCE,
    FIRST_KEY,
    KEYS_EXAMINED,
    tidy_access,
    tidy_alerts,
    tidy_cache,
    tidy_events,
    tidy_keys,
    tidy_leftovers,
    tidy_windows,
)
from windlass.store.pages import answers

log = logging.getLogger("windlass.duties")

_FEWER = 10
"""By how many times a step is smaller after one that failed."""


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
        {"at": clock.instant(notice.at), "by": notice.worker, **reads.detail_of(notice.detail)}
        for notice in cleaned[:limit]
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
        flows: list[FlowCleaning] = []
        yield self._begin_flows(lines, flows)
        for flow_line in flows:
            while not flow_line.is_done:
                yield self._clean(flow_line)
        for tidy in (tidy_events, tidy_leftovers, tidy_access, tidy_alerts, tidy_windows, tidy_cache):
            part = _Part(tidy)
            while part.has_more:
                yield self._tidy(part)
        keys = _Part(self._tidy_keys, KEYS_EXAMINED)
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

    def _begin_flows(self, lines: list[FinishedLineCleaning], flows: list[FlowCleaning]) -> Step:
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
            part.has_more = yield from part.tidy(limit=part.limit)
        except Exception as error:
            if part.limit > 1 and (yield from answers()):
                part.limit = max(1, part.limit // _FEWER)
            else:
                part.has_more = not (yield from self._is_passed_by(error, part.tidy.__name__))

    def _is_passed_by(self, error: Exception, what: str) -> Operation[bool]:
        """True if the rest goes on without what has failed. Raises if the store does not answer."""
        if not (yield from answers()):
            raise error
        log.error("cleaning goes on without %s: %s", what, error)
        self.failure = self.failure or error
        return True

    def _tidy_keys(self, *, limit: int) -> Operation[bool]:
        found = yield from tidy_keys(self.next_key, limit=limit)
        self.next_key = FIRST_KEY if found is None else found
        if self._key_pages is not None:  # not of a page that failed, and is read again in smaller ones
            self._key_pages -= 1
        return found is not None and self._key_pages != 0


class _Tidy(Protocol):
    """Removes so many at the most; whether there may be more."""

    __name__: str

    def __call__(self, *, limit: int) -> Operation[bool]: ...


@dataclass(slots=True)
class _Part:
    """Something that is cleaned in steps; in smaller ones after one that was too much for the store."""

    tidy: _Tidy
    limit: int = AT_ONCE
    has_more: bool = True
