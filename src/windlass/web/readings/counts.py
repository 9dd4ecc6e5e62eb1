"""How many jobs there are, for all who look at pages: no request counts more than some thousand of them.

Few jobs are counted for each request. A state in which there are more is counted as a whole beside the requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from weakref import WeakKeyDictionary

from windlass.app import Windlass
from windlass.client.session import Session
from windlass.core.state import State
from windlass.insight.overview import Overview, overview_with
from windlass.store.operations import queries
from windlass.store.operations.queries import CountUpTo
from windlass.web.readings.background_reading import BackgroundReading
from windlass.web.readings.reading import Reading

_COUNTED = 10_000
"""How many jobs of a state a request counts, in all queues together; one of each queue at least."""
_JUST_NOW = 2.0
"""Seconds. Pages do not say when whole counts were made that are at most this old."""

ByQueue = dict[str, dict[State, int]]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs each queue has in each state."""

    by_queue: ByQueue
    counted_at: datetime | None = None
    """When the states with many jobs were counted; None where that was just now, as all others."""
    is_whole: bool = True
    """False while states with many jobs were not counted yet: there are that many jobs at least."""

    def total(self, queue: str | None = None) -> dict[State, int]:
        """How many jobs are in each state, in one queue or all; every state is present."""
        found = self.by_queue.values() if queue is None else [self.by_queue.get(queue, {})]
        return {state: sum(by_state.get(state, 0) for by_state in found) for state in State}


@dataclass(frozen=True, slots=True)
class Glance:
    """Everything at a glance, and how its jobs were counted."""

    overview: Overview
    counts: Counts


async def glance(app: Windlass) -> Glance:
    """``app.aoverview`` for pages: it takes no longer the more jobs there are."""
    counts = await counts_of(app)
    return Glance(await app.client.session.arun(overview_with(counts.by_queue)), counts)


async def overview_of(app: Windlass) -> Overview:
    """``glance`` where it does not matter when jobs were counted."""
    return (await glance(app)).overview


async def counts_of(app: Windlass) -> Counts:
    """How many jobs there are: of few jobs now, of many when they were counted last."""
    return await _KEPT.setdefault(app, JobCounts()).read(app.client.session)


class JobCounts:
    """Counts the jobs of one store, ``most`` of a state for each reading, and keeps the last count of all of them."""

    def __init__(self, *, most: int = _COUNTED) -> None:
        self._most = most
        self._whole = BackgroundReading(queries.counts)

    async def read(self, session: Session) -> Counts:
        """How many jobs there are: where there are many, when all were counted last."""
        found = await session.arun(queries.counts_up_to(self._most))
        if not any(count.has_more for count in found):
            return Counts(_by_queue(found))
        return _completed(found, self._whole.last(session))


def _completed(found: list[CountUpTo], whole: Reading[ByQueue] | None) -> Counts:
    by_queue = _by_queue(found)
    if whole is None:
        return Counts(by_queue, is_whole=False)
    for count in found:
        if count.has_more:
            known = whole.value.get(count.queue, {}).get(count.state, 0)
            by_queue[count.queue][count.state] = max(known, count.number)
    return Counts(by_queue, whole.at if whole.apart > _JUST_NOW else None)


_KEPT: WeakKeyDictionary[Windlass, JobCounts] = WeakKeyDictionary()


def _by_queue(found: list[CountUpTo]) -> ByQueue:
    by_queue: ByQueue = {}
    for count in found:
        by_queue.setdefault(count.queue, {})[count.state] = count.number
    return by_queue
