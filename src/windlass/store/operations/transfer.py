"""Reads jobs out of one store and writes them into another."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.fault import read_attempts
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.queries import find
from windlass.store.operations.queues import QueueRecord
from windlass.store.operations.steps.steps import StepRecord, steps_of
from windlass.store.pages import PAGE, Found

_TO_WAIT = (State.SCHEDULED, State.RETRYING)


class HeldKey(Struct, frozen=True, array_like=True):
    """A unique key that a job holds."""

    key: str
    id: str
    until: str
    expires_at: int | None
    cached_for: int | None = None
    """For how long the result of its job is given to equal calls, once it has completed."""
    bytes: int | None = None
    """Of that result."""


class MovedEvent(Struct, frozen=True, array_like=True):
    """Something unusual in the life of a job, which is given by its id: another store has other seqs."""

    id: str
    at: int
    kind: str
    worker: str | None
    fence: int | None
    detail: str | None


class Batch(Struct, frozen=True):
    """Jobs with everything that belongs to them."""

    jobs: list[JobRecord]
    keys: list[HeldKey]
    events: list[MovedEvent]
    stepped: list[tuple[int, str]] = []
    """The seqs and ids of those that have steps, which are read and stored apart: they may be large."""


class ScanPage(Struct, frozen=True):
    """The next jobs in the order in which they were made, and where the walk goes on, if it does."""

    stops: list[Found]
    next: int | None


def scan(*, after: int, queue: str | None) -> Operation[ScanPage]:
    """Go through all jobs, or those of one queue, oldest first; begins after 0."""
    answer = yield Call("scan", {"after": after, "queue": queue, "limit": PAGE}, Lane.READ)
    [(examined, last)] = answer["examined"]
    return ScanPage(records(answer["stops"], Found), last if examined == PAGE else None)


def held_keys(ids: Sequence[str]) -> Operation[list[HeldKey]]:
    """The unique keys of jobs."""
    answer = yield Call("keys_and_events", {"ids": list(ids)}, Lane.READ)
    return records(answer["keys"], HeldKey)


def steps_of_jobs(ids: Sequence[str]) -> Operation[dict[str, list[StepRecord]]]:
    """What those of these jobs have recorded that have steps, by id."""
    answer = yield Call("keys_and_events", {"ids": list(ids)}, Lane.READ)
    found: dict[str, list[StepRecord]] = {}
    for seq, id in answer["stepped"]:
        found[id] = yield from steps_of(seq, results=True)
    return found


def export(ids: Sequence[str]) -> Operation[Batch]:
    """Jobs by id, oldest first, with their keys and events."""
    found = yield from find(ids)
    answer = yield Call("keys_and_events", {"ids": list(ids)}, Lane.READ)
    return Batch(
        sorted(found.values(), key=lambda job: job.seq),
        records(answer["keys"], HeldKey),
        records(answer["events"], MovedEvent),
        [(seq, id) for seq, id in answer["stepped"]],
    )


def store_batch(load: Batch) -> Operation[int]:
    """Store jobs as they are, with their keys and events; what is there already stays as it is. How many are new."""
    keys = (yield from _still_due(load)) if load.keys else []
    answer = yield Call("import", {"jobs": [unblocked(job) for job in load.jobs], "keys": keys, "events": load.events})
    return int(answer["stored"][0][0])


def _still_due(load: Batch) -> Operation[list[HeldKey]]:
    """The keys of jobs that are not here yet, or that nothing has happened to since they came.

    A job that has gone on here may have let its key go: nothing would ever take it from the job a second time.
    """
    here = yield from find([key.id for key in load.keys])
    given = {job.id: job for job in load.jobs}
    return [key for key in load.keys if key.id not in here or is_same(here[key.id], given[key.id])]


def is_same(one: JobRecord, other: JobRecord) -> bool:
    """Whether two jobs of different stores differ by time alone."""
    return comparable(one) == comparable(other)


def comparable(job: JobRecord) -> JobRecord:
    """A job without its number, which each store gives, and without the passing of time: duties make it pending when
    it is due, in one store sooner than in the other. Each store writes the JSON of its attempts in its own way.
    """
    job = unblocked(job)
    job = replace(job, seq=0, attempts=None if job.attempts is None else repr(read_attempts(job.attempts)))
    was_to_wait = job.state in _TO_WAIT or (job.state is State.PENDING and job.promoted_at is not None)
    return replace(job, state=State.SCHEDULED, promoted_at=None) if was_to_wait else job


def unblocked(job: JobRecord) -> JobRecord:
    """A job as it arrives in another store: what a blocked one waits for is found there by the claim that meets it. One
    that waits for other jobs stays blocked; its edges come after all jobs.
    """
    is_found_again = job.state is State.BLOCKED and job.reason != "parents"
    return replace(job, state=State.PENDING, reason=None) if is_found_again else job


def store_queues(queues: Sequence[QueueRecord]) -> Operation[None]:
    """Copy the settings of queues, unless they were changed here since."""
    yield Call("import_queues", {"queues": list(queues)})
