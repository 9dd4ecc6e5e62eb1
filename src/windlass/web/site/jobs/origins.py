"""Which jobs came of which.

A job that is run again with other arguments is a new job, and both are linked by a tag, which stores find by an index.
A job that the run of another has enqueued says so in its metadata, which no index holds: it costs those who enqueue
nothing. It was made while the other ran, so only the jobs of that time are looked through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from windlass import clock
from windlass.app import Windlass
from windlass.core import validate
from windlass.core.fault import read_attempts
from windlass.core.meta import read_meta
from windlass.core.records import JobRecord
from windlass.errors import ConfigError
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import WINDOW, Filter, matching
from windlass.web.site.recent import Recent

_TAG = "rerun"
_SHOWN = 5
_ENQUEUED_SHOWN = 20
_WINDOWS = 4
"""How many windows of jobs are looked through for those that a job has enqueued."""
_PATIENCE = 0.3
"""Seconds after which no other window is begun."""
_LEEWAY = 60_000
"""Milliseconds by which the clocks of those who write may differ."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Another job, and what it is to this one."""

    name: str
    id: str


def origin_tag(id: str) -> str | None:
    """The tag of jobs that were made out of this one; None for an id that no tag can hold."""
    try:
        return validate.job_tag(f"{_TAG}={id}")
    except ConfigError:
        return None


def relations_of(job: Job[Any]) -> Operation[list[Relation]]:
    """The job that this one was made out of, and the newest that were made out of it."""
    origins = [tag.partition("=")[2] for tag in job.tags if tag.startswith(f"{_TAG}=")]
    found = [Relation("Run again from", id) for id in origins[:_SHOWN]]
    tag = origin_tag(job.id)
    if tag is not None:
        page = yield from matching(Filter(tag=tag), limit=_SHOWN)
        found += [Relation("Run again as", other.id) for other in page.jobs]
    return found


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What the runs of a job have enqueued, the newest first."""

    jobs: list[JobRecord]
    has_more: bool = False
    """Whether there are more than are listed."""
    is_whole: bool = True
    """Whether all jobs of the time in which it ran were looked through."""
    unsearched: int = 0
    """How many of those have encrypted metadata, which cannot be looked into."""


def enqueued_by(job: JobRecord, now: int) -> Operation[Enqueued]:
    """Look for what a job has enqueued among the jobs that were made while it ran."""
    began = _first_start(job)
    if began is None:
        return Enqueued([])
    ended = job.finished_at if job.finished_at is not None else now
    newest = yield from queries.page(Filter(), limit=1)
    last = newest.jobs[0].seq + 1 if newest.jobs else job.seq
    low, _ = yield from _around(began - _LEEWAY, job.seq, last)
    cursor: int | None
    _, cursor = yield from _around(ended + _LEEWAY, low, last)
    found: list[JobRecord] = []
    unsearched, until = 0, clock.monotonic() + _PATIENCE
    for _ in range(_WINDOWS):
        page = yield from queries.page(Filter(text=job.id), limit=_ENQUEUED_SHOWN + 1, cursor=cursor)
        found += [one for one in page.jobs if one.seq > job.seq and read_meta(one.meta).enqueued_by == job.id]
        unsearched += page.unsearched
        cursor = page.next
        if cursor is None or cursor <= low or len(found) > _ENQUEUED_SHOWN or clock.monotonic() >= until:
            break
    has_more = len(found) > _ENQUEUED_SHOWN
    return Enqueued(found[:_ENQUEUED_SHOWN], has_more, has_more or cursor is None or cursor <= low, unsearched)


def _first_start(job: JobRecord) -> int | None:
    """When its first run began; None for one that has not run yet."""
    starts = [attempt.started_at or attempt.claimed_at for attempt in read_attempts(job.attempts).attempts]
    return min((at for at in (*starts, job.started_at, job.claimed_at) if at is not None), default=None)


def _around(instant: int, low: int, high: int) -> Operation[tuple[int, int]]:
    """Two numbers of jobs, at most a window apart: what has a lower one than the first was made before an instant, what
    has the second or a higher one, after it. Numbers and times rise together, so few looks find them.
    """
    while high - low > WINDOW:
        middle = (low + high) // 2
        below = yield from queries.page(Filter(), limit=1, cursor=middle)
        if below.jobs and below.jobs[0].created_at > instant:
            high = middle
        else:
            low = middle
    return low, high


async def _read_enqueued(app: Windlass, id: str) -> Enqueued:
    found = await app.ajob(id)
    return await app.client.session.arun(enqueued_by(found.record, app.client.now()))


_ENQUEUED = Recent(_read_enqueued, seconds=5)


async def jobs_enqueued_by(app: Windlass, job: Job[Any]) -> Enqueued:
    """What a job has enqueued, as of some seconds ago."""
    return Enqueued([]) if _first_start(job.record) is None else await _ENQUEUED.of(app, job.id)
