"""retry: runs jobs again by hand, with a fresh budget and their history."""

from __future__ import annotations

import json

import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb, allowed_from
from windlass.store.operations import jobs, queues
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.jobs import Retried

PERMANENT = FailedPermanently(raised().fault, "permanent")


def retry(store: Store, *seqs: int, queue: str | None = None) -> Retried:
    return store.run(jobs.retry(seqs, by="me", queue=queue))


def crashed(store: Store) -> JobRecord:
    """A job that took three workers down."""
    store.enqueue(new_job("a"))
    for _ in range(3):
        worker = store.a_worker()
        worker.mark(*worker.take())
        store.advance(TTL)
        store.rescue()
    return store.job("a")


@pytest.mark.parametrize("state", sorted(allowed_from(Verb.RETRY) - {State.BLOCKED}))
def test_a_job_is_pending_at_once(store: Store, state: State) -> None:
    """A11, D3: from failed, cancelled, retrying and scheduled (run now); same id."""
    job = a_job_in(store, state)
    store.advance(SECOND)
    assert retry(store, job.seq) == Retried([job.seq], {})
    found = store.job(job.id)
    assert (found.state, found.reason, found.run_at) == (State.PENDING, None, store.clock())
    assert (found.finished_at, found.cancel_requested_at) == (None, None)
    assert ids(store.a_worker().take(queue=job.queue)) == [job.id]


def test_the_budget_is_fresh_and_the_history_is_kept(store: Store) -> None:
    """A11: fresh budget of attempts, history kept."""
    job = crashed(store)
    assert (job.state, job.attempt, job.crashes) == (State.FAILED, 3, 3)
    retry(store, job.seq)
    found = store.job("a")
    assert (found.attempt, found.crashes, found.rescues) == (0, 0, 0)
    assert found.errors == job.errors


def test_a_retried_job_may_crash_as_often_as_a_new_one(store: Store) -> None:
    job = crashed(store)
    retry(store, job.seq)
    worker = store.a_worker()
    worker.mark(*worker.take())
    store.advance(TTL)
    store.rescue()
    assert store.job("a").state is State.PENDING


def test_an_old_result_is_forgotten(store: Store) -> None:
    job = store.claimed()
    store.run(jobs.progress(job.seq, job.fence, '"far"', worker="w"))
    store.end(job, PERMANENT)
    retry(store, job.seq)
    found = store.job(job.id)
    assert (found.result, found.progress) == (None, None)


def test_the_fence_goes_on_growing(store: Store) -> None:
    """A7: a number that only grows."""
    job = store.claimed()
    store.end(job, PERMANENT)
    retry(store, job.seq)
    [again] = store.a_worker().take()
    assert again.fence > job.fence


def test_another_queue_may_be_chosen(store: Store) -> None:
    """A11: optional other queue."""
    job = store.finished(PERMANENT)
    retry(store, job.seq, queue="slow")
    assert store.job(job.id).queue == "slow"
    assert "slow" in store.run(queues.settings())
    assert ids(store.a_worker().take(queue="slow")) == [job.id]


def test_who_retried_is_kept(store: Store) -> None:
    """A12, E6: retried by hand, and what it was before."""
    job = store.finished(PERMANENT)
    retry(store, job.seq)
    [event] = store.events(job.seq)
    assert (event.kind, event.at, event.fence) == ("retried", START, job.fence)
    assert json.loads(event.detail or "") == {"by": "me", "from": "failed", "reason": "permanent"}


def test_only_jobs_in_the_named_states_are_retried(store: Store) -> None:
    failed, cancelled = a_job_in(store, State.FAILED), a_job_in(store, State.CANCELLED)
    retried = store.run(jobs.retry([failed.seq, cancelled.seq], by="me", states=[State.FAILED, State.RUNNING]))
    assert retried == Retried([failed.seq], {})
    assert store.job(cancelled.id) == cancelled


def test_many_are_retried_in_one_call(store: Store) -> None:
    """A11: retry many."""
    failed = [store.finished(PERMANENT) for _ in range(3)]
    pending = store.a_job()
    assert sorted(retry(store, *(job.seq for job in failed), pending.seq, 9999).seqs) == [job.seq for job in failed]


def test_no_job_at_all_is_no_error(store: Store) -> None:
    assert retry(store) == retry(store, 4711) == Retried([], {})


# Unique keys.


def test_a_job_whose_key_another_holds_is_reported_not_forced(store: Store) -> None:
    """B17: key released, taken, first job retried."""
    first = store.finished(PERMANENT, new_job("first", key="k"))
    store.enqueue(new_job("second", key="k"))
    assert retry(store, first.seq) == Retried([], {first.seq: "second"})
    assert store.job("first") == first
    assert store.kinds(first.seq) == []


def test_the_others_of_the_call_are_retried(store: Store) -> None:
    first = store.finished(PERMANENT, new_job("first", key="k"))
    store.enqueue(new_job("second", key="k", queue="other"))
    other = store.finished(PERMANENT)
    assert retry(store, first.seq, other.seq) == Retried([other.seq], {first.seq: "second"})


def test_a_job_whose_key_is_free_does_not_take_it_again(store: Store) -> None:
    """B17: a key once released is not taken again by retry."""
    first = store.finished(PERMANENT, new_job("first", key="k"))
    assert retry(store, first.seq).seqs == [first.seq]
    assert store.enqueue(new_job("second", key="k"))[0].id == "second"


def test_a_job_that_holds_its_own_key_is_retried(store: Store) -> None:
    job = store.finished(raised(), new_job("a", key="k"))
    assert retry(store, job.seq).seqs == [job.seq]
    assert store.enqueue(new_job("b", key="k"))[0].id == "a"


def test_a_key_that_its_holder_has_given_up_stands_in_nobodys_way(store: Store) -> None:
    """A key until started is given up while its job may run, one for a window by time."""
    first = store.finished(PERMANENT, new_job("first", key="k"))
    store.enqueue(new_job("second", key="k", queue="other"), naming=Uniqueness(until="started"))
    assert retry(store, first.seq).key_taken == {first.seq: "second"}
    store.a_worker().take(queue="other")
    assert retry(store, first.seq).seqs == [first.seq]


def test_a_key_whose_window_is_over_stands_in_nobodys_way(store: Store) -> None:
    first = store.finished(PERMANENT, new_job("first", key="k"))
    store.enqueue(new_job("second", key="k"), naming=Uniqueness(until="window", window=SECOND))
    store.advance(SECOND - 1)
    assert retry(store, first.seq).key_taken == {first.seq: "second"}
    store.advance(1)
    assert retry(store, first.seq).seqs == [first.seq]


def test_a_key_is_no_reason_where_the_state_is_one_already(store: Store) -> None:
    """Only what would have been retried is reported as kept from it by a key."""
    done = store.finished(new=new_job("done", key="k"))
    store.enqueue(new_job("holder", key="k"))
    assert retry(store, done.seq) == Retried([], {})
    failed = store.finished(PERMANENT, new_job("failed", key="k2", queue="other"))
    store.enqueue(new_job("holder too", key="k2"))
    assert store.run(jobs.retry([failed.seq], by="me", states=[State.CANCELLED])) == Retried([], {})
