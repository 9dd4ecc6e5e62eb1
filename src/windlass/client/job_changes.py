"""Finds, cancels and retries one job by its id."""

from __future__ import annotations

from windlass.core import validate
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.errors import IllegalTransition, JobNotFound
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries
from windlass.store.operations.diagnostics import by_hand
from windlass.store.operations.flows.graph import cancel_downstream

CANCELLED = (Topic.WORK, Topic.FINISHED, Topic.CONTROL)
"""The topics of a cancel: a job that waited, a job that has ended by it, a job that runs."""


def find_record(id: str) -> Operation[JobRecord]:
    """The job as the store keeps it; ``JobNotFound`` when there is none."""
    found = yield from queries.find([id])
    if id not in found:
        raise JobNotFound(f"no job has the id {id!r}")
    return found[id]


def cancel_job(id: str, *, by: str, reason: str | None, descendants: bool = False) -> Operation[bool]:
    """Cancel a job that waits, or ask a running one to stop, and with ``descendants`` all that lies downstream; False
    when all of it has finished.
    """
    record = yield from find_record(id)
    if descendants:
        return (yield from cancel_downstream(record.seq, by=by, reason=reason)) > 0
    cancelled = yield from jobs.cancel([record.seq], by=by, reason=reason)
    return bool(cancelled)


def fail_job(id: str, *, by: str, text: str | None, now: int) -> Operation[bool]:
    """End a job as failed by hand; whether it ran. ``IllegalTransition`` when it has finished."""
    record = yield from find_record(id)
    return (yield from by_hand.fail(record, by=by, text=text or "failed by hand", now=now))


def retry_job(id: str, *, queue: str | None, by: str) -> Operation[None]:
    """Run a job again; ``IllegalTransition`` when its state does not allow it or its unique key is held."""
    if queue is not None:
        validate.queue_name(queue)
    record = yield from find_record(id)
    retried = yield from jobs.retry([record.seq], by=by, queue=queue)
    if retried.key_taken:
        holder = retried.key_taken[record.seq]
        raise IllegalTransition(
            f"job {id} cannot be retried: job {holder}, which does the same, holds its unique key now; wait for that "
            "one, or cancel it first"
        )
    if not retried.seqs:
        record = yield from find_record(id)
        raise IllegalTransition(f"job {id} is {record.state}; it cannot be retried{_gate(record)}")


def _gate(record: JobRecord) -> str:
    """A clause of the error: which gate a blocked job waits at, because a retry does not open it; else empty."""
    if record.state is not State.BLOCKED:
        return ""
    return ": it waits for a token of its rate" if record.reason == "rate" else ": it waits for its concurrency key"
