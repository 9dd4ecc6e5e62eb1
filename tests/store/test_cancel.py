"""cancel: ends what waits, asks what runs to stop."""

from __future__ import annotations

import json

import pytest

from tests.manual_clock import START
from tests.store.builders import CANCELLED, INTERRUPTED, RETURNED, SECOND, TTL, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently, Outcome, Postponed
from windlass.core.state import FINISHED, WAITING, State
from windlass.store.operations import enqueue, jobs
from windlass.store.operations.rescue import Rescued


def cancel(store: Store, *seqs: int) -> dict[int, State]:
    return store.run(jobs.cancel(seqs, by="me", reason="enough"))


@pytest.mark.parametrize("state", sorted(WAITING))
def test_a_job_that_waits_is_cancelled_at_once(store: Store, state: State) -> None:
    """A4, D3: pending, scheduled, retrying, blocked."""
    job = a_job_in(store, state)
    store.advance(SECOND)
    assert cancel(store, job.seq) == {job.seq: State.CANCELLED}
    found = store.job(job.id)
    assert (found.state, found.finished_at) == (State.CANCELLED, store.clock())


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_a_finished_job_stays_as_it_is(store: Store, state: State) -> None:
    """A4: cancelling something finished changes nothing."""
    job = a_job_in(store, state)
    assert cancel(store, job.seq) == {}
    assert store.job(job.id) == job


def test_a_running_job_is_asked_to_stop(store: Store) -> None:
    job = store.claimed()
    store.advance(SECOND)
    assert cancel(store, job.seq) == {job.seq: State.RUNNING}
    found = store.job(job.id)
    assert (found.state, found.cancel_requested_at, found.finished_at) == (State.RUNNING, START + SECOND, None)


def test_a_second_request_changes_nothing(store: Store) -> None:
    job = store.claimed()
    cancel(store, job.seq)
    before = store.job(job.id)
    store.advance(SECOND)
    assert cancel(store, job.seq) == {}
    assert store.job(job.id) == before
    assert store.kinds(job.seq) == ["cancel_requested"]


def test_who_cancelled_is_kept(store: Store) -> None:
    """A12: cancelled and by whom."""
    waiting, running = store.claimed(), store.a_job()
    cancel(store, waiting.seq, running.seq)
    for seq, kind in ((waiting.seq, "cancel_requested"), (running.seq, "cancelled")):
        [event] = store.events(seq)
        assert (event.kind, event.at) == (kind, START)
        assert json.loads(event.detail or "") == {"by": "me", "reason": "enough"}


def test_many_are_cancelled_in_one_call(store: Store) -> None:
    found = [store.a_job() for _ in range(3)]
    done = store.finished(new=new_job(queue="other"))
    assert cancel(store, *(job.seq for job in found), done.seq, 9999) == {job.seq: State.CANCELLED for job in found}


def test_no_job_at_all_is_no_error(store: Store) -> None:
    assert cancel(store) == {}
    assert cancel(store, 4711) == {}


def test_a_cancelled_job_gives_its_key_back(store: Store) -> None:
    """B17: finished by cancel."""
    job = store.a_job(new_job("a", key="k"))
    cancel(store, job.seq)
    assert store.enqueue(new_job("b", key="k"))[0].id == "b"


def test_a_request_alone_does_not_give_the_key_back(store: Store) -> None:
    job = store.claimed(new_job("a", key="k"))
    cancel(store, job.seq)
    assert store.enqueue(new_job("b", key="k"))[0].id == "a"
    store.end(job, INTERRUPTED)
    assert store.enqueue(new_job("c", key="k"))[0].id == "c"


def test_a_key_for_a_window_outlives_a_cancel(store: Store) -> None:
    window = enqueue.Uniqueness(until="window", window=SECOND)
    [stored] = store.enqueue(new_job("a", key="k"), naming=window)
    cancel(store, store.job(stored.id).seq)
    assert store.enqueue(new_job("b", key="k"), naming=window)[0].id == "a"


# How a run ends that was asked to stop.


def test_a_run_that_returned_is_completed_all_the_same(store: Store) -> None:
    """A4: a job that finished first stays completed."""
    job = store.claimed()
    cancel(store, job.seq)
    assert not store.end(job, RETURNED)
    found = store.job(job.id)
    assert (found.state, found.result, found.attempt) == (State.COMPLETED, '"done"', 1)


@pytest.mark.parametrize(
    ("outcome", "attempt"),
    [
        (raised(), 1),
        (INTERRUPTED, 0),
        (CANCELLED, 1),
        (Postponed(5), 0),
        (FailedPermanently(raised().fault, "permanent"), 1),
    ],
    ids=["raised", "interrupted", "cancelled", "postponed", "refused"],
)
def test_any_other_ending_is_cancelled_and_never_retried(store: Store, outcome: Outcome, attempt: int) -> None:
    """A4: raised, interrupted -> cancelled."""
    job = store.claimed()
    cancel(store, job.seq)
    store.advance(SECOND)
    assert not store.end(job, outcome)
    found = store.job(job.id)
    assert (found.state, found.reason, found.attempt) == (State.CANCELLED, None, attempt)
    assert (found.finished_at, found.lease) == (START + SECOND, None)


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_rescued_run_is_cancelled_and_never_retried(store: Store, is_marked: bool) -> None:
    """A4: rescued -> cancelled."""
    worker = store.a_worker()
    job = store.claimed(new_job("a", key="k"), by=worker)
    if is_marked:
        worker.mark(job)
    cancel(store, job.seq)
    store.advance(TTL)
    assert store.rescue() == [Rescued("a", State.CANCELLED)]
    found = store.job("a")
    assert (found.state, found.reason, found.finished_at) == (State.CANCELLED, None, START + TTL)
    assert store.enqueue(new_job("b", key="k"))[0].id == "b"


def test_a_request_is_seen_by_an_owner_that_reads_its_claim_again(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job())
    [job] = worker.take(token="t")
    cancel(store, job.seq)
    [again] = worker.cycle(token="t").claimed
    assert (job.wants_cancel, again.wants_cancel) == (False, True)
