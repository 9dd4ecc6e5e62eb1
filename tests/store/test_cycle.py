"""cycle: what ended goes out, what is next comes in, in one commit."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import (
    INTERRUPTED,
    MINUTE,
    SECOND,
    TTL,
    ending,
    fresh,
    ids,
    mark,
    new_job,
    raised,
)
from tests.store.stores import Store, Worker
from windlass.core.outcome import Postponed
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, queues


def test_a_claimed_job_carries_what_is_needed_to_run_it(store: Store) -> None:
    """B1, E6: the owner sees fence and attempt."""
    store.enqueue(
        new_job("a", queue="mail", priority=3, meta='{"x":1}', attempts=7, timeout=900, retry='{"base":2}', key="k")
    )
    store.advance(SECOND)
    [job] = store.a_worker().take(queue="mail")
    assert job == Claimed(
        seq=store.job("a").seq,
        id="a",
        task="greet",
        queue="mail",
        priority=3,
        payload='{"v":1,"args":[],"kwargs":{}}',
        meta='{"x":1}',
        attempt=0,
        max_attempts=7,
        crashes=0,
        rescues=0,
        fence=job.fence,
        timeout=900,
        created_at=START,
        wants_cancel=False,
        unique_key="k",
        errors=None,
        retry='{"base":2}',
        unknown_for=None,
        waited=SECOND,
        is_charged=False,
    )


def test_a_claimed_job_is_running_under_the_lease(store: Store) -> None:
    worker = store.a_worker("w1")
    store.enqueue(new_job("a"))
    store.advance(SECOND)
    worker.take()
    job = store.job("a")
    assert (job.state, job.lease, job.worker) == (State.RUNNING, worker.lease, "w1")
    assert (job.claimed_at, job.started_at, job.attempt) == (START + SECOND, None, 0)


def test_every_claim_raises_the_fence(store: Store) -> None:
    """A7: a number that only grows."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    fences = []
    for _ in range(4):
        [job] = worker.take()
        fences.append(job.fence)
        worker.end(job, INTERRUPTED)
    assert fences == sorted(set(fences))
    assert store.job("a").fence == fences[-1]


# Order.


def test_higher_priority_comes_first_then_age(store: Store) -> None:
    """B3: strict priority, then first in, first out."""
    store.enqueue(
        new_job("low", priority=-100),
        new_job("first"),
        new_job("high", priority=100),
        new_job("second"),
        new_job("high too", priority=100),
    )
    assert ids(store.a_worker().take()) == ["high", "high too", "first", "second", "low"]


def test_a_room_takes_the_first_that_fit(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b", priority=1), new_job("c"))
    worker = store.a_worker()
    assert ids(worker.take(2)) == ["b", "a"]
    assert ids(worker.take(2)) == ["c"]
    assert worker.take(2) == []


# Rooms.


def test_one_job_of_each_of_many_queues_is_the_first_of_its_queue(store: Store) -> None:
    """B3: by priority, then by age, also where a worker asks many queues for one job each."""
    names = [f"q{number}" for number in range(60)]
    store.enqueue(*(new_job(f"{name}-low", queue=name) for name in names))
    store.enqueue(*(new_job(f"{name}-high", queue=name, priority=1) for name in names))
    store.run(queues.pause("q7", by="me", reason=None))
    worker = store.a_worker()
    requests = [(name, 2 if name == "q0" else 1) for name in names] + [("empty", 1)]
    taken = {job.id for job in worker.cycle(requests=requests).claimed}
    assert taken == {f"{name}-high" for name in names if name != "q7"} | {"q0-low"}
    store.run(queues.pause("*", by="me", reason=None))
    assert worker.cycle(requests=requests).claimed == []


def test_each_queue_has_a_room_of_its_own(store: Store) -> None:
    store.enqueue(*(new_job(queue=queue) for queue in "aabbbc"))
    cycled = store.a_worker().cycle(requests=[("a", 5), ("b", 2)])
    assert sorted(job.queue for job in cycled.claimed) == ["a", "a", "b", "b"]


@pytest.mark.parametrize("room", [0, -1])
def test_no_room_takes_nothing(store: Store, room: int) -> None:
    store.enqueue(new_job("a"))
    assert store.a_worker().take(room) == []
    assert store.job("a").state is State.PENDING


def test_a_queue_that_nobody_heard_of_gives_nothing(store: Store) -> None:
    assert store.a_worker().take(queue="never") == []


def test_a_job_that_is_not_due_is_not_taken(store: Store) -> None:
    """B12: invisible until due."""
    store.enqueue(new_job("a", delay=1))
    store.end(store.claimed(new_job("b", queue="q")), raised(delay=1))
    worker = store.a_worker()
    assert worker.cycle(requests=[("default", 9), ("q", 9)]).claimed == []


def test_two_workers_share_a_queue_without_meeting(store: Store) -> None:
    """E1: no job goes to both."""
    store.enqueue(*(new_job(f"{number}") for number in range(10)))
    first, second = store.a_worker(), store.another().a_worker()
    taken = [*first.take(3), *second.take(3), *first.take(3), *second.take(3)]
    assert ids(taken) == [f"{number}" for number in range(10)]


# The lease.


def test_a_claim_needs_a_lease(store: Store) -> None:
    store.enqueue(new_job("a"))
    assert Worker(store, "stranger", "no such lease").take() == []
    assert store.job("a").state is State.PENDING


@pytest.mark.parametrize(
    ("step", "taken"),
    [(TTL - 1, ["a"]), (TTL, []), (TTL + 1, []), (-TTL, ["a"]), (-TTL - 1, [])],
)
def test_a_claim_needs_a_lease_in_time(store: Store, step: int, taken: list[str]) -> None:
    """E3: in time only while renewed_at - ttl <= now < renewed_at + ttl, so that no clock jump holds one longer."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    store.advance(step)
    assert ids(worker.take()) == taken


def test_a_lease_that_was_renewed_late_claims_again(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    store.advance(10 * TTL)
    assert worker.take() == []
    worker.renew()
    assert ids(worker.take()) == ["a"]


def test_a_lost_lease_claims_nothing_however_often_it_is_renewed(store: Store) -> None:
    worker = store.a_worker()
    worker.store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    worker.renew()
    assert worker.take() == []


# A lost answer.


def test_a_repeated_call_without_rooms_finds_what_the_first_took(store: Store) -> None:
    """E5: a lost reply is re-read by its owner."""
    worker = store.a_worker()
    store.enqueue(*(new_job() for _ in range(5)))
    first = worker.take(3, token="t")
    assert worker.cycle(token="t").claimed == first
    assert len(worker.take()) == 2


def test_another_token_finds_nothing_of_it(store: Store) -> None:
    worker = store.a_worker()
    store.claimed(by=worker)
    assert worker.cycle().claimed == []


def test_the_same_token_under_another_lease_finds_nothing_of_it(store: Store) -> None:
    first, second = store.a_worker(), store.a_worker()
    store.enqueue(new_job())
    first.take(token="t")
    assert second.cycle(token="t").claimed == []


def test_a_repeated_call_leaves_out_what_has_ended_since(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    [ended, _] = worker.take(token="t")
    worker.end(ended)
    assert ids(worker.cycle(token="t").claimed) == ["b"]


def test_a_repeated_call_leaves_out_what_was_rescued_since(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    worker.take(token="t")
    store.advance(TTL)
    store.rescue()
    assert worker.cycle(token="t").claimed == []


# Fused.


def test_one_call_ends_marks_and_claims(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(*(new_job(id) for id in "abc"))
    [first, second] = worker.take(2)
    cycled = worker.cycle(endings=[ending(first)], marks=[mark(second)], requests=[("default", 1)])
    assert ids(cycled.claimed) == ["c"]
    assert (set(cycled.refused), set(cycled.marked)) == (set(), {second.seq})
    assert [store.job(id).state for id in "abc"] == [State.COMPLETED, State.RUNNING, State.RUNNING]


def test_a_job_handed_back_is_taken_by_the_same_call_or_the_next(store: Store) -> None:
    """Whether a call sees what its own endings put back is up to the store; what counts is that it comes back once."""
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    [first] = worker.take(1)
    taken = worker.cycle(endings=[ending(first, INTERRUPTED)], requests=[("default", 1)]).claimed + worker.take()
    assert sorted(ids(taken)) == ["a", "b"]
    assert all(job.fence > first.fence for job in taken if job.id == "a")


def test_a_call_without_anything_gives_nothing(store: Store) -> None:
    store.enqueue(new_job())
    cycled = store.a_worker().cycle()
    assert (cycled.claimed, list(cycled.refused), list(cycled.marked)) == ([], [], [])


def test_endings_are_written_when_the_lease_is_lost_but_nothing_is_claimed(store: Store) -> None:
    """E3: runs that had already ended are still offered: the fence decides."""
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    [first] = worker.take(1)
    store.advance(10 * TTL)
    cycled = worker.cycle(endings=[ending(first)], requests=[("default", 1)])
    assert (cycled.claimed, list(cycled.refused)) == ([], [])
    assert [store.job(id).state for id in "ab"] == [State.COMPLETED, State.PENDING]


# Start marks.


def test_a_mark_says_when_user_code_began(store: Store) -> None:
    """A9: a start mark sets started_at, nothing else."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    before = store.job(job.id)
    store.advance(SECOND)
    worker.cycle(marks=[mark(job, ago=40)])
    after = store.job(job.id)
    assert after.started_at == START + SECOND - 40
    assert (after.attempt, after.state, after.fence) == (before.attempt, before.state, before.fence)


def test_a_second_mark_keeps_the_first(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.mark(job)
    store.advance(SECOND)
    assert set(worker.cycle(marks=[mark(job)]).marked) == {job.seq}
    assert store.job(job.id).started_at == START


def test_a_mark_under_an_old_fence_is_not_answered(store: Store) -> None:
    """A9: the last allowed attempt is marked before user code starts, so an unanswered mark must not start."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker().take()
    assert set(worker.cycle(marks=[mark(job)]).marked) == set()
    assert (again.id, store.job(job.id).started_at) == (job.id, None)


def test_a_mark_of_a_job_that_ended_is_not_answered(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.end(job, INTERRUPTED)
    assert set(worker.cycle(marks=[mark(job)]).marked) == set()
    assert store.job(job.id).started_at is not None, "the ending knows how long it ran"


def test_every_claim_begins_without_a_mark(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.mark(job)
    worker.end(job, raised(delay=0))
    store.run(jobs.promote())
    worker.take()
    assert store.job(job.id).started_at is None


# A task that no worker knows.


def test_a_claim_tells_for_how_long_nobody_has_known_the_task(store: Store) -> None:
    """B31: the clock runs from the first worker that did not know it."""
    worker = store.a_worker(ttl=60 * MINUTE)
    job = store.claimed(by=worker)
    worker.end(job, Postponed(SECOND, "unknown_task"))
    for waited in (1, 6):
        store.advance(MINUTE if waited == 1 else 5 * MINUTE)
        store.run(jobs.promote())
        [job] = worker.take()
        assert job.unknown_for == waited * MINUTE
        worker.end(job, Postponed(SECOND, "unknown_task"))


def test_any_other_ending_starts_that_clock_anew(store: Store) -> None:
    """B31: once a worker knows it the waiting is forgotten."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    for outcome, unknown_for in ((Postponed(0, "unknown_task"), 0), (Postponed(0), None)):
        worker.end(job, outcome)
        store.run(jobs.promote())
        [job] = worker.take(token=fresh("t"))
        assert job.unknown_for == unknown_for
