"""A job in each state, brought there by operations."""

from __future__ import annotations

from tests.store.builders import HOUR, fresh, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.operations import jobs


def a_job_in(store: Store, state: State, *, expires: int | None = None) -> JobRecord:
    """A job of a queue of its own that stands in this state."""
    queue = fresh("queue")
    new = new_job(queue=queue, expires=expires)
    match state:
        case State.PENDING | State.BLOCKED:
            store.enqueue(new)
        case State.SCHEDULED:
            store.enqueue(new_job(new.id, queue=queue, delay=HOUR, expires=expires))
        case State.CANCELLED:
            job = store.a_job(new)
            store.run(jobs.cancel([job.seq], by="me"))
        case State.RUNNING:
            store.claimed(new)
        case State.RETRYING:
            store.end(store.claimed(new), raised(delay=HOUR))
        case State.FAILED:
            store.end(store.claimed(new), FailedPermanently(raised().fault, "permanent"))
        case State.COMPLETED:
            store.end(store.claimed(new))
    if state is State.BLOCKED:
        store.place.force(new.id, state)
    found = store.job(new.id)
    assert found.state is state
    return found
