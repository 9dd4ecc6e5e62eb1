"""Adding jobs as an app does: the short way where it will do."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.store.operation import Operation
from windlass.store.operations.enqueue import Enqueued, JobTemplate, NewJob, Uniqueness, append, enqueue


def add(jobs: Sequence[NewJob], namings: dict[int, Uniqueness]) -> Operation[list[Enqueued]]:
    """Store jobs that are alike by ``append``, all others, and where that stores nothing, by ``enqueue``."""
    terms = None if namings else _common_terms(jobs)
    if terms is not None:
        stored = yield from append(terms, [(job.id, job.payload) for job in jobs])
        if stored is not None:
            return stored
    return (yield from enqueue(jobs, namings))


def _common_terms(jobs: Sequence[NewJob]) -> JobTemplate | None:
    """The terms of jobs that differ in nothing else than id and payload."""
    if not jobs:
        return None
    first = _terms(jobs[0])
    return first if all(_is_plain(job) and _terms(job) == first for job in jobs) else None


def _is_plain(job: NewJob) -> bool:
    return job.at is None and job.tags is None and job.unique_key is job.concurrency_key is job.rate_key is None


def _terms(job: NewJob) -> JobTemplate:
    return JobTemplate(
        job.task,
        job.queue,
        job.priority,
        job.meta,
        job.max_attempts,
        job.delay,
        job.timeout,
        job.retry,
        job.expires,
    )
