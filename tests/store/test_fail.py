"""fail: ends a job that waits or runs, by hand."""

from __future__ import annotations

import json

import pytest

from tests.manual_clock import START
from tests.store.builders import RETURNED, SECOND, TTL, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.fault import read_attempts, read_faults
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, WAITING, State
from windlass.errors import IllegalTransition
from windlass.insight.timeline import timeline
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.diagnostics import by_hand
from windlass.store.operations.queries import history


def fail(store: Store, job: JobRecord) -> bool:
    return store.run(by_hand.fail(job, by="me", text="hopeless", now=store.clock()))


@pytest.mark.parametrize("state", sorted(WAITING))
def test_a_job_that_waits_has_failed_at_once(store: Store, state: State) -> None:
    """B24, A11: failed(by_hand), nothing charged, with an error that says why."""
    job = a_job_in(store, state)
    store.advance(SECOND)
    assert fail(store, job) is False
    found = store.job(job.id)
    assert (found.state, found.reason, found.finished_at) == (State.FAILED, "by_hand", store.clock())
    assert (found.attempt, found.fence) == (job.attempt, job.fence)
    newest = read_faults(found.errors).faults[-1]
    assert (newest.type, newest.message) == ("windlass.FailedByHand", "hopeless")
    assert found.cause is not None
    assert store.a_worker().take(queue=job.queue) == []
    assert store.run(queries.totals())["failed"] == 1


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_a_finished_job_stays_as_it_is(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    with pytest.raises(IllegalTransition, match=f"is {state}; it cannot be failed"):
        fail(store, job)
    assert store.job(job.id) == job


def test_a_running_job_is_taken_from_its_owner(store: Store) -> None:
    """B24, E2: its fence is raised, so that nothing counts that its owner writes."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    [job] = worker.take()
    worker.mark(job)
    store.advance(SECOND)
    assert fail(store, store.job("a")) is True
    found = store.job("a")
    assert (found.state, found.reason, found.attempt) == (State.FAILED, "by_hand", 1)
    assert found.fence > job.fence
    assert list(worker.end(job, RETURNED)) == [job.seq]
    assert store.job("a").state is State.FAILED
    assert not store.run(jobs.progress(job.seq, job.fence, '"far"', worker="w"))


def test_the_attempt_is_kept_and_the_timeline_tells_who(store: Store) -> None:
    """A12."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    [job] = worker.take()
    worker.mark(job)
    fail(store, store.job("a"))
    found = store.job("a")
    [attempt] = read_attempts(found.attempts).attempts
    assert (attempt.fence, attempt.outcome, attempt.reason) == (job.fence, "failed", "by_hand")
    [event] = [event for event in store.events(job.seq) if event.kind == "failed_by_hand"]
    assert (event.at, event.fence) == (START, job.fence)
    assert json.loads(event.detail or "") == {"by": "me", "reason": "hopeless", "from": "running"}
    kinds = [entry.kind for entry in timeline(found, store.run(history(job.seq)))]
    assert kinds == ["created", "claimed", "started", "failed_by_hand", "attempt_failed", "failed"]


def test_a_run_that_has_not_begun_charges_nothing(store: Store) -> None:
    job = store.claimed(new_job("a"))
    fail(store, store.job("a"))
    found = store.job("a")
    assert (found.attempt, found.fence > job.fence) == (0, True)


def test_a_manual_claim_is_over_with_its_lease(store: Store) -> None:
    claimed = store.manually_claimed(new_job("a"))
    fail(store, store.job("a"))
    assert store.job("a").attempt == 1
    store.advance(2 * TTL)
    assert store.rescue() == []
    assert store.job("a").fence > claimed.fence


@pytest.mark.parametrize("is_running", [False, True])
def test_a_failed_job_gives_its_unique_key_back(store: Store, is_running: bool) -> None:
    store.enqueue(new_job("a", key="k"))
    if is_running:
        store.a_worker().take()
    fail(store, store.job("a"))
    assert store.enqueue(new_job("b", key="k"))[0].id == "b"


def test_the_next_job_of_a_concurrency_key_may_run(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a", one_of="u"), new_job("b", one_of="u"))
    assert ids(worker.take()) == ["a"]
    fail(store, store.job("a"))
    assert ids(worker.take()) == ["b"]


def test_the_slot_of_a_limit_is_free(store: Store) -> None:
    store.run(queues.change("default", {"max_running": 1}, by="me"))
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    assert ids(worker.take()) == ["a"]
    assert worker.take() == []
    fail(store, store.job("a"))
    assert ids(worker.take()) == ["b"]
    assert store.run(queues.mend_counters()) == []


def test_a_job_that_has_moved_on_is_read_again(store: Store) -> None:
    """It was pending when the operator saw it, and runs now."""
    seen = store.a_job(new_job("a"))
    [job] = store.a_worker().take()
    assert fail(store, seen) is True
    assert store.job("a").fence > job.fence


def test_it_can_be_retried(store: Store) -> None:
    job = store.a_job(new_job("a"))
    fail(store, job)
    store.run(jobs.retry([job.seq], by="me"))
    assert ids(store.a_worker().take()) == ["a"]


def test_a_job_that_has_retried_keeps_its_history(store: Store) -> None:
    job = store.claimed(new_job("a", attempts=3))
    store.end(job, raised(delay=SECOND))
    fail(store, store.job("a"))
    found = read_faults(store.job("a").errors).faults
    assert [fault.type for fault in found] == ["ValueError", "windlass.FailedByHand"]


def test_a_worker_finds_out_with_its_next_heartbeat(store: Store) -> None:
    """E2: which of its jobs are gone."""
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    _, kept = worker.take()
    fail(store, store.job("a"))
    assert [seq for seq, *_ in worker.renew().held] == [kept.seq]
