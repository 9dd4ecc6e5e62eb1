"""Limits on what runs: ``max_running`` of a queue and of the app is never exceeded, and given back by every ending."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.places.raw_store import RawStore
from tests.store.builders import (
    CANCELLED,
    HOUR,
    INTERRUPTED,
    RETURNED,
    TTL,
    ending,
    fresh,
    ids,
    new_job,
    raised,
)
from tests.store.stores import Store, Worker
from windlass.core.outcome import FailedPermanently, Outcome
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, queues
from windlass.store.operations.cycle import LimitState, finish
from windlass.store.operations.gates import Gate, gates
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import next_due, totals, waiting
from windlass.store.operations.queues import CounterDrift, QueueRecord, mend_counters
from windlass.store.operations.transfer import store_queues

APP = queues.ALL


def limit(store: Store, most: int | None, name: str = "default") -> None:
    store.run(queues.change(name, {"max_running": most}, by="me"))


def fill(store: Store, number: int, *, queue: str = "default", priority: int = 0) -> list[str]:
    return [each.id for each in store.enqueue(*(new_job(queue=queue, priority=priority) for _ in range(number)))]


def by_hand(store: Store, number: int, *queues: str) -> list[Claimed]:
    return store.run(claim(number, queues=queues or ("default",), worker="me", token=fresh("token"), ttl=TTL))


def limits(store: Store, worker: Worker, queue: str = "default") -> dict[str, tuple[int, int]]:
    """What a cycle that takes nothing tells of the limits."""
    found = worker.cycle(requests=[(queue, 0)]).limits
    return {each.name: (each.running, each.max_running) for each in found}


def shut(store: Store, id: str) -> list[Gate]:
    found = store.run(gates(store.job(id).seq))
    assert found is not None
    return found.names()


# A claim takes no more than the limit leaves.


@pytest.mark.parametrize("name", ["default", APP])
@pytest.mark.parametrize("asked", [1, 2, 9])
def test_no_more_are_taken_than_may_run(store: Store, name: str, asked: int) -> None:
    """C3, E4: whether one job is asked for or several, which are claimed in different ways."""
    limit(store, 3, name)
    waiting = fill(store, 9)
    worker = store.a_worker()
    taken: list[str] = []
    for _ in range(5):
        taken += ids(worker.take(asked))
    assert taken == waiting[:3]


@pytest.mark.parametrize("name", ["default", APP])
def test_claims_by_hand_count(store: Store, name: str) -> None:
    limit(store, 3, name)
    waiting = fill(store, 9)
    assert ids(by_hand(store, 2)) == waiting[:2]
    assert ids(store.a_worker().take()) == waiting[2:3]
    assert by_hand(store, 9) == []


@pytest.mark.parametrize("name", ["default", APP])
def test_suspects_count(store: Store, name: str) -> None:
    worker = store.a_worker()
    fill(store, 3)
    worker.take()
    store.advance(TTL)
    store.rescue()
    limit(store, 1, name)
    fill(store, 3)
    other = store.a_worker()
    assert len(other.take()) == 1
    assert other.take() == store.a_worker().take() == by_hand(store, 9) == []


def test_a_manual_claim_of_suspects_and_others_stays_within_the_limit(store: Store) -> None:
    worker = store.a_worker()
    fill(store, 3)
    worker.take()
    store.advance(TTL)
    store.rescue()
    fill(store, 3)
    limit(store, 4)
    assert len(by_hand(store, 9)) == 4
    assert by_hand(store, 9) == []


def test_other_queues_are_not_held_back(store: Store) -> None:
    limit(store, 1)
    fill(store, 3)
    others = fill(store, 3, queue="other")
    worker = store.a_worker()
    taken = worker.cycle(requests=[("default", 9), ("other", 9)]).claimed
    assert [job.queue for job in taken].count("default") == 1
    assert [job.id for job in taken if job.queue == "other"] == others


def test_the_limit_of_the_app_goes_to_the_first_queues_that_are_asked(store: Store) -> None:
    """E4: a worker says in which order; an empty queue's part goes to the next."""
    limit(store, 4, APP)
    first, second = fill(store, 3, queue="first"), fill(store, 3, queue="second")
    taken = store.a_worker().cycle(requests=[("empty", 9), ("second", 9), ("first", 9)]).claimed
    assert sorted(ids(taken)) == sorted(second + first[:1])


def test_the_limit_of_the_app_holds_over_many_queues_asked_for_one_each(store: Store) -> None:
    limit(store, 3, APP)
    names = [f"q{number}" for number in range(6)]
    for name in names:
        fill(store, 2, queue=name)
    assert len(store.a_worker().cycle(requests=[(name, 1) for name in names]).claimed) == 3


def test_both_limits_hold(store: Store) -> None:
    limit(store, 2)
    limit(store, 3, APP)
    fill(store, 5)
    fill(store, 5, queue="other")
    worker = store.a_worker()
    taken = worker.cycle(requests=[("default", 9), ("other", 9)]).claimed
    assert sorted(job.queue for job in taken) == ["default", "default", "other"]
    assert by_hand(store, 9, "other", "default") == []


def test_jobs_are_taken_by_priority_within_a_limit(store: Store) -> None:
    limit(store, 2)
    fill(store, 2)
    urgent = fill(store, 2, priority=5)
    assert ids(store.a_worker().take()) == urgent


def test_the_same_cycle_ends_runs_and_takes_what_that_makes_room_for(store: Store) -> None:
    """One call: a worker at the limit goes on without another round."""
    limit(store, 2)
    limit(store, 3, APP)
    waiting = fill(store, 6)
    worker = store.a_worker()
    first = worker.take()
    second = worker.cycle(endings=[ending(job) for job in first], requests=[("default", 9)]).claimed
    third = worker.cycle(endings=[ending(second[0], raised())], requests=[("default", 9)]).claimed
    assert ids(first + second + third) == waiting[:5]
    assert limits(store, worker) == {"default": (2, 2), APP: (2, 3)}


def test_a_cycle_tells_of_the_limits_that_it_meets(store: Store) -> None:
    worker = store.a_worker()
    fill(store, 3)
    assert worker.cycle(requests=[("default", 1)]).limits == []
    limit(store, 2)
    limit(store, 8, "other")
    assert worker.cycle(requests=[("default", 9)]).limits == [LimitState("default", 2, 2)]
    limit(store, 9, APP)
    told = worker.cycle(requests=[("other", 9), ("default", 9)]).limits
    assert sorted(told, key=lambda each: each.name) == [
        LimitState(APP, 9, 2),
        LimitState("default", 2, 2),
        LimitState("other", 8, 0),
    ]


def test_an_ending_tells_of_the_limit_of_its_queue(store: Store) -> None:
    limit(store, 2)
    worker = store.a_worker()
    job = store.claimed(by=worker)
    assert worker.cycle(endings=[ending(job)]).limits == [LimitState("default", 2, 0)]


# Every way in which a run ends gives its place back, once.


def end_by_worker(outcome: Outcome) -> Callable[[Store, Worker, Claimed], None]:
    def end(store: Store, worker: Worker, job: Claimed) -> None:
        assert not worker.end(job, outcome)

    return end


def end_marked(store: Store, worker: Worker, job: Claimed) -> None:
    worker.mark(job)
    assert not worker.end(job)


def cancel_it(store: Store, worker: Worker, job: Claimed) -> None:
    store.run(jobs.cancel([job.seq], by="me"))
    assert not worker.end(job, CANCELLED)


def finish_it(store: Store, worker: Worker, job: Claimed) -> None:
    assert not store.end(job)


def lose_it(store: Store, worker: Worker, job: Claimed) -> None:
    store.advance(TTL)
    assert len(store.rescue()) == 1


def lose_it_cancelled(store: Store, worker: Worker, job: Claimed) -> None:
    store.run(jobs.cancel([job.seq], by="me"))
    lose_it(store, worker, job)


def leave(store: Store, worker: Worker, job: Claimed) -> None:
    worker.close()
    assert len(store.rescue()) == 1


ENDS: dict[str, Callable[[Store, Worker, Claimed], None]] = {
    "returned": end_by_worker(RETURNED),
    "raised": end_by_worker(raised()),
    "failed": end_by_worker(FailedPermanently(raised().fault, "permanent")),
    "released": end_by_worker(INTERRUPTED),
    "marked": end_marked,
    "cancelled": cancel_it,
    "finished": finish_it,
    "rescued": lose_it,
    "rescued and cancelled": lose_it_cancelled,
    "left behind": leave,
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_whatever_ends_a_run_gives_its_place_back(store: Store, end: Callable[[Store, Worker, Claimed], None]) -> None:
    """C3, E4."""
    limit(store, 1)
    limit(store, 1, APP)
    worker = store.a_worker()
    job = store.claimed(by=worker)
    other = store.a_worker(ttl=HOUR)
    assert limits(store, other) == {"default": (1, 1), APP: (1, 1)}
    end(store, worker, job)
    assert limits(store, other) == {"default": (0, 1), APP: (0, 1)}
    assert store.run(mend_counters()) == []


@pytest.mark.parametrize("release", [False, True])
def test_the_end_of_a_manual_claim_gives_its_place_back(store: Store, release: bool) -> None:
    limit(store, 1)
    fill(store, 2)
    [job] = by_hand(store, 9)
    assert by_hand(store, 9) == []
    store.run(finish([ending(job, INTERRUPTED if release else RETURNED)], worker="me"))
    assert len(by_hand(store, 9)) == 1


def test_a_manual_claim_that_is_over_gives_its_place_back(store: Store) -> None:
    """E4: a claim by hand rescues first, so the place is back at the next claim after expiry."""
    limit(store, 1)
    fill(store, 2)
    by_hand(store, 1)
    store.advance(TTL)
    store.rescue()
    assert len(by_hand(store, 9)) == 1
    assert store.run(mend_counters()) == []


def test_an_ending_that_is_sent_twice_gives_one_place_back(store: Store) -> None:
    limit(store, 2)
    fill(store, 2)
    worker = store.a_worker()
    first, _ = worker.take()
    worker.cycle(endings=[ending(first), ending(first)])
    worker.cycle(endings=[ending(first)])
    assert limits(store, worker) == {"default": (1, 2)}


def test_a_stale_ending_gives_nothing_back(store: Store) -> None:
    """The place belongs to the job's new owner."""
    limit(store, 1)
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    other = store.a_worker()
    [again] = other.take()
    assert worker.end(job) == {job.seq} == {again.seq}
    assert limits(store, other) == {"default": (1, 1)}


def test_a_cycle_that_is_repeated_counts_once(store: Store) -> None:
    limit(store, 3)
    fill(store, 3)
    worker = store.a_worker()
    taken = worker.cycle(requests=[("default", 2)], token="once").claimed
    assert ids(worker.cycle(token="once").claimed) == ids(taken)
    assert limits(store, worker) == {"default": (2, 3)}


def test_a_manual_claim_that_is_repeated_counts_once(store: Store) -> None:
    limit(store, 3)
    fill(store, 3)
    again = [store.run(claim(2, queues=["default"], worker="me", token="once", ttl=TTL)) for _ in range(2)]
    assert ids(again[0]) == ids(again[1])
    assert limits(store, store.a_worker()) == {"default": (2, 3)}


def test_a_worker_whose_lease_is_over_takes_nothing_and_counts_nothing(store: Store) -> None:
    limit(store, 2)
    fill(store, 2)
    worker = store.a_worker()
    store.advance(TTL)
    assert worker.take() == []
    assert limits(store, store.a_worker()) == {"default": (0, 2)}


# Limits that change.


@pytest.mark.parametrize("name", ["default", APP])
def test_a_limit_that_is_set_while_jobs_run_knows_of_them(store: Store, name: str) -> None:
    fill(store, 6)
    worker = store.a_worker()
    running = worker.take(2) + by_hand(store, 1)
    limit(store, 4, name)
    assert len(worker.take()) == 1
    store.run(finish([ending(job) for job in running], worker="me"))
    assert limits(store, worker) == {name: (1, 4)}


@pytest.mark.parametrize("name", ["default", APP])
def test_a_limit_that_is_lowered_lets_running_jobs_finish(store: Store, name: str) -> None:
    """C10."""
    limit(store, 4, name)
    fill(store, 8)
    worker = store.a_worker()
    running = worker.take()
    limit(store, 2, name)
    assert worker.cycle(endings=[ending(job) for job in running[:2]], requests=[("default", 9)]).claimed == []
    assert store.job(running[3].id).state is State.RUNNING
    assert len(worker.cycle(endings=[ending(running[2])], requests=[("default", 9)]).claimed) == 1


def test_a_limit_that_is_raised_lets_more_run(store: Store) -> None:
    limit(store, 1)
    fill(store, 8)
    worker = store.a_worker()
    worker.take()
    limit(store, 3)
    assert len(worker.take()) == 2


@pytest.mark.parametrize("name", ["default", APP])
def test_a_limit_that_is_taken_back_holds_no_more(store: Store, name: str) -> None:
    limit(store, 1, name)
    fill(store, 4)
    worker = store.a_worker()
    [job] = worker.take()
    limit(store, None, name)
    assert len(worker.take()) == 3
    assert not worker.end(job)
    limit(store, 5, name)
    assert limits(store, worker) == {name: (3, 5)}


def test_other_settings_leave_the_limit_alone(store: Store) -> None:
    limit(store, 2)
    job = store.claimed()
    store.run(queues.change("default", {"weight": 3}, by="you"))
    store.run(queues.pause("default", by="you", reason=None, is_paused=False))
    assert limits(store, store.a_worker()) == {"default": (1, 2)}
    assert store.job(job.id).state is State.RUNNING


def test_a_queue_that_is_removed_takes_its_limit_along(store: Store) -> None:
    limit(store, 1, "mail")
    assert store.run(queues.remove("mail"))
    fill(store, 3, queue="mail")
    assert len(store.a_worker().take(queue="mail")) == 3


def test_the_code_seeds_a_limit_and_overwrites_none(store: Store) -> None:
    """C10: an operator's edits survive deploys."""
    seeds = [queues.QueueSeed("default", max_running=2), queues.QueueSeed(APP, max_running=5)]
    store.run(queues.ensure(seeds))
    fill(store, 9)
    worker = store.a_worker()
    assert len(worker.take()) == 2
    limit(store, 4)
    limit(store, None, APP)
    store.run(queues.ensure(seeds))
    assert len(worker.take()) == 2
    assert limits(store, worker) == {"default": (4, 4)}


def test_a_seed_for_a_queue_with_running_jobs_knows_of_them(store: Store) -> None:
    store.claimed()
    store.run(queues.ensure([queues.QueueSeed("default", max_running=2), queues.QueueSeed(APP, max_running=5)]))
    assert limits(store, store.a_worker()) == {"default": (1, 2), APP: (1, 5)}


# What people and workers see of a limit.


@pytest.mark.parametrize(("name", "gate"), [("default", Gate.QUEUE_AT_LIMIT), (APP, Gate.APP_AT_LIMIT)])
def test_a_queue_at_its_limit_has_no_work_until_there_is_room(store: Store, name: str, gate: Gate) -> None:
    """C3: workers are not woken for jobs that may not run."""
    limit(store, 1, name)
    worker = store.a_worker()
    job = store.claimed(by=worker)
    [other] = fill(store, 1)
    assert shut(store, other) == [gate]
    assert store.run(waiting()) == store.run(waiting(["default"])) == set()
    assert not store.run(next_due()).has_work
    worker.end(job)
    assert shut(store, other) == []
    assert store.run(waiting()) == store.run(waiting(["default"])) == {"default"}
    assert store.run(next_due()).has_work


def test_the_gate_tells_the_limit(store: Store) -> None:
    limit(store, 1)
    store.claimed()
    [other] = fill(store, 1)
    store.a_worker()
    found = store.run(gates(store.job(other).seq))
    assert found is not None
    assert [gate.most for gate in found.shut] == [1]


def test_settings_tell_the_limit_and_who_set_it(store: Store) -> None:
    limit(store, 7)
    found = store.run(queues.settings("default"))["default"]
    assert (found.max_running, found.changed_at, found.changed_by) == (7, store.clock(), "me")


# Counters that are wrong.


@pytest.mark.parametrize("name", ["default", APP])
def test_sound_counters_are_left_alone(store: Store, name: str) -> None:
    limit(store, 3, name)
    store.claimed()
    store.manually_claimed()
    assert store.run(mend_counters()) == []
    assert limits(store, store.a_worker()) == {name: (2, 3)}


def test_a_store_without_limits_has_nothing_to_mend(store: Store) -> None:
    store.claimed()
    assert store.run(mend_counters()) == []


@pytest.mark.parametrize("wrong", [0, 1, 7])
@pytest.mark.parametrize("name", ["default", APP])
def test_a_counter_that_is_wrong_is_told_and_set_right(store: Store, name: str, wrong: int) -> None:
    limit(store, 3, name)
    limit(store, 9, "other")
    store.claimed()
    store.manually_claimed()
    RawStore(store.place).miscount(name, wrong)
    assert store.run(mend_counters()) == [CounterDrift(name, wrong, 2)]
    assert store.run(mend_counters()) == []
    assert limits(store, store.a_worker()) == {name: (2, 3)}


@pytest.mark.parametrize("name", ["default", APP])
def test_a_counter_that_is_gone_is_told_and_made_anew(store: Store, name: str) -> None:
    """F8: without it the limit would not hold."""
    limit(store, 3, name)
    limit(store, 9, "other")
    store.claimed()
    store.manually_claimed()
    RawStore(store.place).lose_counter(name)
    assert [(drift.name, drift.running) for drift in store.run(mend_counters())] == [(name, 2)]
    assert store.run(mend_counters()) == []
    assert limits(store, store.a_worker()) == {name: (2, 3)}


@pytest.mark.only_on("sqlite", "postgres")
def test_a_counter_that_is_gone_is_missed_while_nothing_runs(store: Store) -> None:
    """F8: on Redis a counter that is not there is 0."""
    limit(store, 3)
    RawStore(store.place).lose_counter("default")
    assert store.run(mend_counters()) == [CounterDrift("default", None, 0)]
    assert limits(store, store.a_worker()) == {"default": (0, 3)}


def test_a_moved_queue_takes_its_limit_along(store: Store) -> None:
    """C10: the counter is that of the jobs that run here, not of those that ran there."""
    moved = [QueueRecord("default", max_running=2, changed_at=5), QueueRecord(APP, max_running=7, changed_at=5)]
    store.claimed()
    store.run(store_queues(moved))
    assert limits(store, store.a_worker()) == {"default": (1, 2), APP: (1, 7)}
    store.run(store_queues([QueueRecord("default", changed_at=6), QueueRecord(APP, weight=1, changed_at=6)]))
    assert limits(store, store.a_worker()) == {}


# Many at once.


@pytest.mark.parametrize("name", ["default", APP])
def test_concurrent_claimers_never_exceed_the_limit(store: Store, name: str) -> None:
    """C3, E4: a count in the claim lets 16 run under a limit of 8; a counter under a lock does not."""
    most, number = 4, 40
    limit(store, most, name)
    fill(store, number)

    def drain(own: Store) -> int:
        worker, dice, worst = own.a_worker(ttl=HOUR), random.Random(own.clock()), 0
        held: list[Claimed] = []
        while own.run(totals())[State.COMPLETED] < number:
            outcomes: list[Outcome] = [RETURNED if dice.random() < 0.7 else INTERRUPTED for _ in held]
            endings = [ending(job, outcome) for job, outcome in zip(held, outcomes, strict=True)]
            held = worker.cycle(endings=endings, requests=[("default", dice.randint(1, 6))]).claimed
            worst = max(worst, own.run(totals())[State.RUNNING])
        assert not held
        return worst

    with ThreadPoolExecutor(4) as threads:
        worst = list(threads.map(drain, [store.another() for _ in range(4)]))
    assert 0 < max(worst) <= most
    assert limits(store, store.a_worker()) == {name: (0, most)}
    assert store.run(mend_counters()) == []


@pytest.mark.parametrize("name", ["default", APP])
def test_a_limit_that_is_switched_while_jobs_are_claimed_counts_right(store: Store, name: str) -> None:
    """The counter starts at the true number, whatever claims and endings are under way."""
    number = 60
    fill(store, number)

    is_over = Event()

    def drain(own: Store) -> None:
        worker = own.a_worker(ttl=HOUR)
        held: list[Claimed] = []
        while own.run(totals())[State.COMPLETED] < number:
            held = worker.cycle(endings=[ending(job) for job in held], requests=[("default", 3)]).claimed

    def switch(own: Store) -> None:
        while not is_over.is_set():
            limit(own, 2, name)
            assert own.run(mend_counters()) == []
            limit(own, None, name)

    with ThreadPoolExecutor(4) as threads:
        switching = threads.submit(switch, store.another())
        try:
            list(threads.map(drain, [store.another() for _ in range(3)]))
        finally:
            is_over.set()
        switching.result()
    limit(store, 2, name)
    assert limits(store, store.a_worker()) == {name: (0, 2)}
