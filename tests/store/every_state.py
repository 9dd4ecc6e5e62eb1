"""A job in each state, brought there by operations."""

from __future__ import annotations

from tests.store.builders import HOUR, fresh, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.operations import jobs


def a_job_in(store: Store, state: State) -> JobRecord:
    """A job of a queue of its own that stands in this state."""
    queue = fresh("queue")
    id = new_job().id
    match state:
        case State.PENDING | State.BLOCKED:
            store.enqueue(new_job(id, queue=queue))
        case State.SCHEDULED:
            store.enqueue(new_job(id, queue=queue, delay=HOUR))
        case State.CANCELLED:
            job = store.a_job(new_job(id, queue=queue))
            store.run(jobs.cancel([job.seq], by="me"))
        case State.RUNNING:
            store.claimed(new_job(id, queue=queue))
        case State.RETRYING:
            store.end(store.claimed(new_job(id, queue=queue)), raised(delay=HOUR))
        case State.FAILED:
            store.end(store.claimed(new_job(id, queue=queue)), FailedPermanently(raised().fault, "permanent"))
        case State.COMPLETED:
            store.end(store.claimed(new_job(id, queue=queue)))
    if state is State.BLOCKED:
        store.place.force(id, state)
    found = store.job(id)
    assert found.state is state
    return found
