"""Small pieces of a story: jobs, outcomes, endings, with a sensible default for what a test does not care about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from tests.manual_clock import START
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.limits.concurrency import stored_key
from windlass.core.meta import write_tags
from windlass.core.outcome import Cancelled, Interrupted, Outcome, Raised, Returned
from windlass.core.rates.key import rate_gate
from windlass.core.records import Claimed, JobRecord
from windlass.core.retry import Retry
from windlass.store.operations.cycle import StartMark
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.pages import Found

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
TTL = 30 * SECOND

OWN_ID = Uniqueness(has_own_id=True)
RETURNED = Returned('"done"')
INTERRUPTED = Interrupted()
CANCELLED = Cancelled()

_numbers = count(1)


def fresh(kind: str) -> str:
    """A name that no other thing in this run has."""
    return f"{kind}-{next(_numbers)}"


def new_job(
    id: str | None = None,
    *,
    task: str = "greet",
    queue: str = "default",
    priority: int = 0,
    payload: str = '{"v":1,"args":[],"kwargs":{}}',
    meta: str | None = None,
    attempts: int = 4,
    delay: int = 0,
    timeout: int | None = None,
    key: str | None = None,
    retry: str | None = None,
    at: int | None = None,
    tags: tuple[str, ...] = (),
    expires: int | None = None,
    one_of: str | None = None,
    rate_key: str | None = None,
) -> NewJob:
    """A job to be stored; ``one_of`` is its concurrency key."""
    return NewJob(
        id if id is not None else fresh("job"),
        task,
        queue,
        priority,
        payload,
        meta,
        attempts,
        delay,
        timeout,
        key,
        retry,
        at,
        write_tags(tags),
        expires,
        None if one_of is None else stored_key(task, one_of),
        None if rate_key is None else rate_gate(task, rate_key),
    )


def raised(type: str = "ValueError", *, delay: int | None = None, is_timeout: bool = False) -> Raised:
    """One failed attempt."""
    fault = Fault(at=START, attempt=1, worker="w", type=type, message="it broke")
    return Raised(fault, delay, is_timeout)


def ending(job: Claimed, outcome: Outcome = RETURNED, *, ran_for: int | None = 5) -> Ending:
    """What to write for a run, by the rules of the product; retries wait 1 s, 2 s, 4 s without jitter."""
    return decide(job, outcome, retry=Retry(jitter=0), ran_for=ran_for)


def mark(job: Claimed, *, ago: int = 0) -> StartMark:
    """User code of this run has begun."""
    return StartMark(job.seq, job.fence, ago)


def ids(jobs: Sequence[Claimed | JobRecord | Found]) -> list[str]:
    return [job.id for job in jobs]
