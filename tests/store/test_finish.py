"""finish: ends runs; only the owner whose fence the job still carries may."""

from __future__ import annotations

import msgspec
import pytest

from tests.manual_clock import START
from tests.store.builders import CANCELLED, INTERRUPTED, RETURNED, SECOND, TTL, ending, new_job, raised
from tests.store.stores import Store
from windlass.core.fault import read_faults
from windlass.core.outcome import FailedPermanently, Outcome, Postponed, Returned
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import enqueue, jobs
from windlass.store.operations.cycle import finish


def taken_over(store: Store) -> tuple[Claimed, Claimed]:
    """A job that its first owner has lost to a second: both claims."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker("successor").take()
    return lost, again


# What each outcome writes.


def test_a_job_that_returned_is_completed(store: Store) -> None:
    job = store.claimed()
    store.advance(SECOND)
    assert not store.run(finish([ending(job, Returned("[1]"), ran_for=40)], worker="w"))
    found = store.job(job.id)
    assert (found.state, found.reason, found.result, found.errors) == (State.COMPLETED, None, "[1]", None)
    assert (found.attempt, found.crashes, found.rescues, found.lease) == (1, 0, 0, None)
    assert (found.started_at, found.finished_at) == (START + SECOND - 40, START + SECOND)


def test_a_job_that_returned_nothing_has_no_result(store: Store) -> None:
    assert store.finished(Returned(None)).result is None


def test_a_start_that_was_marked_is_kept(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.mark(job)
    store.advance(SECOND)
    worker.end(job)
    assert store.job(job.id).started_at == START


def test_a_failed_attempt_waits_for_its_next(store: Store) -> None:
    """A10: the delay is added to the store's own now."""
    job = store.claimed()
    store.advance(SECOND)
    store.end(job, raised())
    found = store.job(job.id)
    assert (found.state, found.run_at, found.attempt) == (State.RETRYING, START + 2 * SECOND, 1)
    assert (found.finished_at, found.result, found.lease) == (None, None, None)
    assert [fault.type for fault in read_faults(found.errors).faults] == ["ValueError"]


def test_a_failed_attempt_may_name_its_own_delay(store: Store) -> None:
    """A10: RetryableError(delay) comes before every rule."""
    assert store.finished(raised(delay=7)).run_at == START + 7


def test_the_last_failed_attempt_is_for_good(store: Store) -> None:
    """A10, A11: 1 attempt means never again; the reason says why."""
    found = store.finished(raised(), new_job(attempts=1))
    assert (found.state, found.reason, found.attempt) == (State.FAILED, "attempts", 1)
    assert found.finished_at == START


def test_the_last_attempt_that_ran_out_of_time_says_so(store: Store) -> None:
    """A11: reason timeout."""
    found = store.finished(raised("TimeoutError", is_timeout=True), new_job(attempts=1))
    assert (found.state, found.reason) == (State.FAILED, "timeout")


def test_errors_gather_over_attempts(store: Store) -> None:
    """A11: the error history."""
    worker = store.a_worker()
    job = store.claimed(new_job(attempts=3), by=worker)
    for type in ("First", "Second"):
        worker.end(job, raised(type, delay=0))
        store.run(jobs.promote())
        [job] = worker.take()
    worker.end(job, raised("Third"))
    found = store.job(job.id)
    assert (found.state, found.attempt) == (State.FAILED, 3)
    assert [fault.type for fault in read_faults(found.errors).faults] == ["First", "Second", "Third"]


def test_a_success_after_failures_keeps_the_history(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.end(job, raised("First", delay=0))
    store.run(jobs.promote())
    [job] = worker.take()
    worker.end(job)
    found = store.job(job.id)
    assert (found.state, found.attempt, found.result) == (State.COMPLETED, 2, '"done"')
    assert [fault.type for fault in read_faults(found.errors).faults] == ["First"]


@pytest.mark.parametrize(("is_run", "attempt"), [(True, 1), (False, 0)])
def test_a_refused_job_fails_with_its_reason(store: Store, is_run: bool, attempt: int) -> None:
    """A11: only a run whose user code began is charged."""
    found = store.finished(FailedPermanently(raised().fault, "undecodable", is_run))
    assert (found.state, found.reason, found.attempt) == (State.FAILED, "undecodable", attempt)


def test_a_postponed_job_is_scheduled_uncharged(store: Store) -> None:
    """A10: Snooze charges nothing."""
    found = store.finished(Postponed(9 * SECOND, "throttled"))
    assert (found.state, found.reason, found.attempt) == (State.SCHEDULED, "throttled", 0)
    assert (found.run_at, found.finished_at) == (START + 9 * SECOND, None)


def test_a_job_may_cancel_itself(store: Store) -> None:
    found = store.finished(CANCELLED)
    assert (found.state, found.attempt, found.finished_at) == (State.CANCELLED, 1, START)


def test_text_of_results_and_errors_comes_back_as_it_was(store: Store) -> None:
    text = 'it\'s "quoted" \\ Ünï 🎉 \n' + "x" * 1_048_576
    found = store.finished(Returned(text))
    assert found.result == text


# Repetition.


@pytest.mark.parametrize("outcome", [RETURNED, raised(), INTERRUPTED, Postponed(5)])
def test_an_ending_that_is_repeated_is_accepted_and_changes_nothing(store: Store, outcome: Outcome) -> None:
    """E6: after a lost answer the owner may say it again."""
    job = store.claimed()
    store.end(job, outcome)
    before = store.job(job.id)
    store.advance(SECOND)
    assert not store.end(job, outcome)
    assert store.job(job.id) == before


def test_a_second_ending_cannot_overrule_the_first(store: Store) -> None:
    """E6: at most one recorded completion."""
    job = store.claimed()
    store.end(job, Returned("1"))
    before = store.job(job.id)
    store.end(job, Returned("2"))
    store.end(job, raised())
    assert store.job(job.id) == before


def test_many_endings_are_written_in_one_call(store: Store) -> None:
    store.enqueue(*(new_job(f"{number}") for number in range(200)))
    taken = store.a_worker().take(200)
    outcomes: list[Outcome] = [RETURNED, raised(), INTERRUPTED, Postponed(5)]
    assert not store.run(finish([ending(job, outcomes[number % 4]) for number, job in enumerate(taken)], worker="w"))
    states = [store.job(f"{number}").state for number in range(4)]
    assert states == [State.COMPLETED, State.RETRYING, State.PENDING, State.SCHEDULED]


# Fences.


@pytest.mark.parametrize("outcome", [RETURNED, raised(), INTERRUPTED, Postponed(5), CANCELLED])
def test_an_ending_under_an_old_fence_changes_nothing(store: Store, outcome: Outcome) -> None:
    """A7, E2: complete, fail and release with an old fence tell the caller that the lease is lost."""
    lost, again = taken_over(store)
    before = store.job(lost.id)
    assert set(store.end(lost, outcome)) == {lost.seq}
    assert store.job(lost.id) == before
    assert not store.end(again)
    assert store.job(lost.id).state is State.COMPLETED


def test_an_ending_under_an_old_fence_is_refused_also_before_somebody_else_claims(store: Store) -> None:
    """E3: after the rescue, refused."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    assert set(store.end(lost)) == {lost.seq}
    assert store.job(lost.id).state is State.PENDING


def test_an_ending_under_an_old_fence_is_refused_also_after_the_successor_ended(store: Store) -> None:
    lost, again = taken_over(store)
    store.end(again, Returned("2"))
    before = store.job(lost.id)
    assert set(store.end(lost, Returned("1"))) == {lost.seq}
    assert store.job(lost.id) == before


def test_a_fence_from_the_future_changes_nothing(store: Store) -> None:
    job = store.claimed()
    before = store.job(job.id)
    ahead = msgspec.structs.replace(job, fence=job.fence + 1)
    assert set(store.end(ahead)) == {job.seq}
    assert store.job(job.id) == before


def test_an_ending_of_a_job_that_is_not_there_is_refused(store: Store) -> None:
    """E2: zero rows means lease lost."""
    job = store.claimed()
    stranger = msgspec.structs.replace(job, seq=job.seq + 1000)
    assert set(store.end(stranger)) == {stranger.seq}


def test_one_refused_ending_does_not_hold_up_the_others(store: Store) -> None:
    lost, again = taken_over(store)
    other = store.claimed()
    refused = store.run(finish([ending(lost), ending(other), ending(again)], worker="w"))
    assert set(refused) == {lost.seq}
    assert {store.job(id).state for id in (again.id, other.id)} == {State.COMPLETED}


def test_an_ending_is_accepted_until_somebody_rescues(store: Store) -> None:
    """E3: time alone throws no work away."""
    job = store.claimed()
    store.advance(100 * TTL)
    assert not store.end(job)
    assert store.job(job.id).state is State.COMPLETED


# Keys.


def test_a_key_stays_with_a_job_that_is_not_finished(store: Store) -> None:
    """B17: an ending that is no end keeps the key."""
    job = store.claimed(new_job("a", key="k"))
    store.end(job, Postponed(5))
    assert store.enqueue(new_job(key="k"))[0].id == "a"


def test_an_ending_that_was_refused_releases_no_key(store: Store) -> None:
    """B17, A7: the zombie's ending leaves the key with the successor's run."""
    lost = store.claimed(new_job("a", key="k"))
    store.advance(TTL)
    store.rescue()
    store.a_worker().take()
    store.end(lost)
    assert store.enqueue(new_job(key="k"))[0].id == "a"


def test_an_ending_releases_no_key_that_another_job_took_since(store: Store) -> None:
    store.enqueue(new_job("a", key="k"), naming=enqueue.Uniqueness(until="started"))
    [job] = store.a_worker().take()
    store.enqueue(new_job("b", key="k"), naming=enqueue.Uniqueness(until="finished"))
    store.end(job)
    assert store.enqueue(new_job("c", key="k"))[0].id == "b"
