"""Expiry: a job that has not started in time is cancelled; promote ends those that wait."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import (
    DAY,
    HOUR,
    INTERRUPTED,
    MINUTE,
    SECOND,
    TTL,
    ending,
    ids,
    new_job,
    raised,
)
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.outcome import EXPIRED, FailedPermanently, Postponed
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb, allowed_from
from windlass.store.operations import jobs, queries
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.jobs import Promoted
from windlass.store.operations.manual_claim import claim


def promote(store: Store) -> Promoted:
    return store.run(jobs.promote_page())


def expired(store: Store, id: str) -> JobRecord:
    found = store.job(id)
    assert (found.state, found.reason) == (State.CANCELLED, "expired")
    return found


def test_it_counts_from_when_the_job_is_due(store: Store) -> None:
    """A11: now, after a delay, at an instant, on each of the ways into the store."""
    store.enqueue(new_job("now", expires=MINUTE))
    store.enqueue(new_job("many", expires=MINUTE), new_job("more", expires=MINUTE))
    store.enqueue(new_job("later", delay=HOUR, expires=MINUTE))
    store.enqueue(new_job("at", at=START + HOUR, expires=MINUTE), new_job("past", at=START - HOUR, expires=MINUTE))
    found = {id: store.job(id).start_by for id in ("now", "many", "more", "later", "at", "past")}
    due = {"later": HOUR, "at": HOUR, "past": -HOUR}
    assert found == {id: START + due.get(id, 0) + MINUTE for id in found}
    assert {store.job(id).expires for id in found} == {MINUTE}


def test_a_job_without_an_expiry_waits_for_ever(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b", delay=1))
    store.advance(10 * DAY)
    assert promote(store) == Promoted(1, 0, is_full=False)
    assert [job.expires_in for job in store.a_worker().take()] == [None, None]


@pytest.mark.parametrize("state", sorted(allowed_from(Verb.EXPIRE)))
def test_promote_ends_what_waits_too_long(store: Store, state: State) -> None:
    """A11: pending, scheduled and blocked jobs, at their instant and not before."""
    job = a_job_in(store, state, expires=MINUTE)
    store.advance((job.start_by or 0) - START - 1)
    assert promote(store).expired == 0
    store.advance(1)
    assert promote(store).expired == 1
    found = expired(store, job.id)
    assert (found.finished_at, found.start_by) == (store.clock(), job.start_by)
    assert (found.attempt, found.attempts, store.events(job.seq)) == (0, None, [])
    assert store.run(queries.counts()) == {job.queue: {State.CANCELLED: 1}}
    assert promote(store) == Promoted(0, 0, is_full=False)
    assert store.a_worker().take(queue=job.queue) == []


def test_what_is_due_and_expired_is_ended_and_not_promoted(store: Store) -> None:
    """A11: after a long outage."""
    store.enqueue(new_job("late", delay=MINUTE, expires=MINUTE), new_job("due", delay=MINUTE, expires=DAY))
    store.advance(HOUR)
    assert promote(store) == Promoted(1, 1, is_full=False)
    expired(store, "late")
    assert (store.job("due").state, store.job("due").start_by) == (State.PENDING, START + MINUTE + DAY)


@pytest.mark.parametrize("count", [9, 10, 11, 25])
def test_all_pages_are_ended(store: Store, count: int) -> None:
    store.enqueue(*(new_job(expires=1) for _ in range(count)))
    store.enqueue(*(new_job(delay=1, expires=1) for _ in range(count)))
    store.advance(2)
    assert store.run(jobs.promote(10)) == 0
    assert store.run(queries.counts()) == {"default": {State.CANCELLED: 2 * count}}


def test_a_claimed_job_is_its_workers(store: Store) -> None:
    """A11: it learns how long it may wait; promote leaves what is claimed alone."""
    store.enqueue(new_job("a", expires=MINUTE))
    store.advance(SECOND)
    worker = store.a_worker(ttl=DAY)
    [job] = worker.take()
    assert job.expires_in == MINUTE - SECOND
    store.advance(HOUR)
    assert promote(store) == Promoted(0, 0, is_full=False)
    worker.cycle(endings=[ending(job, EXPIRED, ran_for=None)])
    assert (expired(store, "a").attempt, store.job("a").started_at) == (0, None)


@pytest.mark.parametrize("is_rescued", [True, False])
def test_a_claim_that_never_began_does_not_end_the_wait(store: Store, is_rescued: bool) -> None:
    """A11: released or lost before the start, it still has to start in time."""
    worker = store.a_worker()
    job = store.claimed(new_job("a", expires=MINUTE), by=worker)
    if is_rescued:
        store.advance(TTL)
        store.rescue()
    else:
        worker.cycle(endings=[ending(job, INTERRUPTED, ran_for=None)])
    assert (store.job("a").state, store.job("a").start_by) == (State.PENDING, START + MINUTE)
    store.advance(MINUTE)
    assert promote(store).expired == 1
    expired(store, "a")


def test_a_job_of_an_unknown_task_expires_while_it_is_put_off(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(new_job("a", expires=MINUTE), by=worker)
    worker.cycle(endings=[ending(job, Postponed(HOUR, "unknown_task"), ran_for=None)])
    store.advance(MINUTE)
    assert promote(store).expired == 1
    expired(store, "a")


@pytest.mark.parametrize("outcome", [raised(delay=SECOND), Postponed(SECOND), INTERRUPTED])
def test_only_the_first_start_has_to_be_in_time(store: Store, outcome: Postponed) -> None:
    """A11: what has begun once is tried again however long that takes."""
    worker = store.a_worker(ttl=10 * DAY)
    job = store.claimed(new_job("a", expires=MINUTE), by=worker)
    worker.end(job, outcome)
    assert store.job("a").start_by is None
    store.advance(HOUR)
    promote(store)
    [again] = worker.take()
    assert again.expires_in is None
    worker.cycle(endings=[ending(again, INTERRUPTED, ran_for=None)])
    store.advance(HOUR)
    assert promote(store).expired == 0
    assert store.job("a").state is State.PENDING


def test_a_run_that_was_lost_has_begun(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(new_job("a", expires=MINUTE), by=worker)
    worker.mark(job)
    store.advance(TTL)
    store.rescue()
    store.advance(HOUR)
    assert promote(store).expired == 0
    assert (store.job("a").state, store.job("a").start_by) == (State.PENDING, None)


def test_a_manual_claim_is_a_start(store: Store) -> None:
    """D2: also when it is released."""
    job = store.manually_claimed(new_job("a", expires=MINUTE))
    assert job.expires_in == MINUTE
    store.end(job, INTERRUPTED)
    store.advance(HOUR)
    assert promote(store).expired == 0
    [again] = store.run(claim(1, queues=["default"], worker="me", token="t", ttl=TTL))
    assert again.expires_in is None


@pytest.mark.parametrize(("until", "is_free"), [("finished", True), ("started", True), ("window", False)])
def test_the_unique_key_is_given_back(store: Store, until: str, is_free: bool) -> None:
    """B17: as by any other end; a window goes on."""
    naming = Uniqueness(until=until, window=DAY if until == "window" else None)
    store.enqueue(new_job("a", key="k", expires=MINUTE), naming=naming)
    store.advance(MINUTE)
    promote(store)
    expired(store, "a")
    [again] = store.enqueue(new_job("b", key="k"), naming=naming)
    assert again.is_duplicate is not is_free


def test_the_key_of_another_job_stays_with_it(store: Store) -> None:
    store.enqueue(new_job("a", key="k", expires=MINUTE), naming=Uniqueness(window=SECOND, until="window"))
    store.advance(SECOND)
    store.enqueue(new_job("b", key="k"), naming=Uniqueness())
    store.advance(MINUTE)
    promote(store)
    expired(store, "a")
    [again] = store.enqueue(new_job("c", key="k"), naming=Uniqueness())
    assert (again.id, again.is_duplicate) == ("b", True)


def test_retry_by_hand_gives_it_its_time_anew(store: Store) -> None:
    """A11: an expired job can be run all the same, and must start in time again."""
    job = store.a_job(new_job("a", expires=MINUTE))
    store.advance(HOUR)
    promote(store)
    store.run(jobs.retry([job.seq], by="me"))
    found = store.job("a")
    assert (found.state, found.reason, found.start_by) == (State.PENDING, None, store.clock() + MINUTE)
    store.advance(MINUTE - 1)
    assert promote(store).expired == 0
    store.advance(1)
    assert promote(store).expired == 1


def test_retry_by_hand_of_a_job_that_has_begun_needs_no_start_in_time(store: Store) -> None:
    job = store.finished(FailedPermanently(raised().fault, "permanent"), new_job("a", expires=MINUTE))
    store.run(jobs.retry([job.seq], by="me"))
    assert store.job("a").start_by is None
    store.advance(HOUR)
    assert promote(store).expired == 0
    assert ids(store.a_worker().take()) == ["a"]


def test_a_scheduled_job_that_is_run_now_has_its_time_from_now_on(store: Store) -> None:
    job = store.a_job(new_job("a", delay=DAY, expires=MINUTE))
    store.advance(SECOND)
    store.run(jobs.retry([job.seq], by="me"))
    assert store.job("a").start_by == store.clock() + MINUTE


def test_reschedule_moves_it(store: Store) -> None:
    job = store.a_job(new_job("a", expires=MINUTE))
    store.run(jobs.reschedule(job.seq, delay=HOUR))
    assert store.job("a").start_by == START + HOUR + MINUTE
    store.advance(MINUTE)
    assert promote(store).expired == 0
    store.run(jobs.reschedule(job.seq, delay=0))
    assert (store.job("a").state, store.job("a").start_by) == (State.PENDING, store.clock() + MINUTE)
    store.advance(SECOND)
    store.run(jobs.reschedule(job.seq, delay=0))
    assert store.job("a").start_by == store.job("a").run_at + MINUTE, "it keeps its place, and its time"
    store.advance(MINUTE)
    assert promote(store).expired == 1


def test_new_arguments_do_not_move_it_and_a_new_time_does(store: Store) -> None:
    """B17: it counts from when the job is due."""
    replace, postpone = Uniqueness(on_conflict="replace"), Uniqueness(on_conflict="postpone")
    store.enqueue(new_job("a", key="k", expires=MINUTE))
    store.advance(SECOND)
    store.enqueue(new_job(key="k"), naming=replace)
    assert store.job("a").start_by == START + MINUTE
    store.enqueue(new_job(key="k", delay=HOUR), naming=postpone)
    assert store.job("a").start_by == START + SECOND + HOUR + MINUTE
    assert store.run(queries.next_due()).next_end == HOUR + MINUTE
    store.enqueue(new_job(key="k"), naming=postpone)
    assert (store.job("a").state, store.job("a").start_by) == (State.PENDING, START + SECOND + MINUTE)
    store.advance(MINUTE)
    assert promote(store).expired == 1


def test_what_is_cancelled_or_deleted_does_not_expire(store: Store) -> None:
    first, second = store.a_job(new_job(expires=MINUTE)), store.a_job(new_job(expires=MINUTE))
    store.run(jobs.cancel([first.seq], by="me"))
    store.run(jobs.delete([(second.seq, second.id)]))
    assert store.run(queries.next_due()).next_end is None
    store.advance(HOUR)
    assert promote(store).expired == 0
    assert store.job(first.id).reason is None


def test_a_blocked_job_that_was_cancelled_is_looked_at_no_more(store: Store) -> None:
    job = a_job_in(store, State.BLOCKED, expires=MINUTE)
    store.run(jobs.cancel([job.seq], by="me"))
    store.advance(HOUR)
    assert promote(store).expired == 0
    assert store.run(queries.next_due()).next_end is None
    assert store.job(job.id).reason is None


def test_the_next_expiry_is_known(store: Store) -> None:
    """B30: nothing has to be looked through to know when there is something to do."""
    store.enqueue(new_job(), new_job(delay=SECOND))
    assert store.run(queries.next_due()).next_end is None
    store.enqueue(new_job(delay=HOUR, expires=MINUTE))
    store.enqueue(new_job("a", expires=HOUR))
    assert store.run(queries.next_due()).next_end == HOUR
    [job] = store.a_worker(ttl=DAY).take(1, queue="default")[-1:]
    store.advance(MINUTE)
    assert job.id != "a"
    assert store.run(queries.next_due()).next_end == HOUR - MINUTE


def test_claimed_jobs_are_not_waited_for(store: Store) -> None:
    store.claimed(new_job(expires=MINUTE))
    assert store.run(queries.next_due()).next_end is None


def test_many_promote_at_once(store: Store) -> None:
    """C14: each job ends once."""
    store.enqueue(*(new_job(expires=1) for _ in range(30)))
    store.advance(1)
    other = store.another()
    assert store.run(jobs.promote_page(20)).expired + other.run(jobs.promote_page(20)).expired == 30
    assert store.run(queries.counts()) == {"default": {State.CANCELLED: 30}}
