"""rescue: missing leases, manually claimed jobs, and the trace that each rescue leaves."""

from __future__ import annotations

import json

from tests.manual_clock import START
from tests.store.builders import MINUTE, TTL, new_job
from tests.store.stores import Store
from windlass.core.fault import read_faults
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import manual_claim
from windlass.store.operations.rescue import Rescued


def test_a_missing_lease_is_a_lease_that_is_over(store: Store) -> None:
    """A9, E3: rescue needs neither lease row nor worker row."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.close()
    assert store.rescue() == [Rescued(job.id, State.PENDING)]


def test_until_the_rescue_the_owner_of_a_missing_lease_may_still_finish(store: Store) -> None:
    """E3: only a committed rescue takes a job away."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.close()
    assert not worker.end(job)
    assert store.job(job.id).state is State.COMPLETED
    assert store.rescue() == []


def test_a_rescue_is_told(store: Store) -> None:
    """A9, A12: the timeline shows it, with worker and fence."""
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    worker.mark(job)
    store.advance(TTL)
    store.rescue()
    [event] = store.events(job.seq)
    assert (event.at, event.kind, event.worker, event.fence) == (START + TTL, "rescued", "w1", job.fence)
    assert json.loads(event.detail or "") == {"by": "rescuer", "started": True}


def test_a_rescue_tells_when_the_run_had_not_started(store: Store) -> None:
    job = store.claimed()
    store.advance(TTL)
    store.rescue()
    [event] = store.events(job.seq)
    assert json.loads(event.detail or "") == {"by": "rescuer", "started": False}


def test_a_rescue_that_frees_nothing_tells_nothing(store: Store) -> None:
    job = store.claimed()
    store.advance(TTL)
    store.rescue()
    store.rescue()
    assert store.kinds(job.seq) == ["rescued"]


# Jobs that were claimed by hand.


def claim(store: Store) -> Claimed:
    [job] = store.run(manual_claim.claim(1, queues=["default"], worker="me", token=f"t{store.clock()}", ttl=5 * MINUTE))
    return job


def test_a_manually_claimed_job_whose_time_ran_out_comes_back_charged_once(store: Store) -> None:
    """D2: charged at the claim, so its loss charges nothing more and is no crash."""
    store.enqueue(new_job("a"))
    claim(store)
    store.advance(5 * MINUTE)
    assert store.rescue() == [Rescued("a", State.PENDING)]
    found = store.job("a")
    assert (found.attempt, found.crashes, found.rescues) == (1, 0, 0)
    [fault] = read_faults(found.errors).faults
    assert (fault.type, fault.worker, fault.attempt) == ("windlass.LeaseLost", "me", 1)


def test_a_manually_claimed_job_comes_back_at_most_as_often_as_it_has_attempts(store: Store) -> None:
    """D2: then a dead letter; errors are kept as a list."""
    store.enqueue(new_job("a", attempts=3))
    states = []
    for _ in range(3):
        claim(store)
        store.advance(5 * MINUTE)
        store.rescue()
        states.append(store.job("a").state)
    found = store.job("a")
    assert states == [State.PENDING, State.PENDING, State.FAILED]
    assert (found.reason, found.attempt, found.crashes) == ("attempts", 3, 0)
    assert len(read_faults(found.errors).faults) == 3


def test_a_manually_claimed_job_is_not_failed_by_the_cap_of_rescues(store: Store) -> None:
    """D2: only its attempts bound it."""
    store.enqueue(new_job("a", attempts=20))
    for _ in range(10):
        claim(store)
        store.advance(5 * MINUTE)
        store.rescue()
    found = store.job("a")
    assert (found.state, found.attempt) == (State.PENDING, 10)


def test_a_manually_claimed_job_in_time_is_left_alone(store: Store) -> None:
    store.enqueue(new_job("a"))
    job = claim(store)
    store.advance(5 * MINUTE - 1)
    assert store.rescue() == []
    assert not store.end(job)
