"""Concurrency keys: of the jobs of a task with the same key only so many run at once, and the others are blocked."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store.builders import (
    CANCELLED,
    HOUR,
    INTERRUPTED,
    RETURNED,
    SECOND,
    TTL,
    ending,
    fresh,
    ids,
    new_job,
    raised,
)
from tests.store.changes import cancel, put_off, remove
from tests.store.stores import Store, Worker
from windlass.core.limits.concurrency import stored_key
from windlass.core.outcome import FailedPermanently, Outcome, Postponed
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Answer, Call, Operation
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.limits.concurrency import KeyLine, declare, key_line, unblock_all
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.transfer import export, store_batch


def counts(store: Store) -> dict[State, int]:
    return {state: number for found in store.run(queries.counts()).values() for state, number in found.items()}


def state_of(store: Store, id: str) -> State:
    return store.job(id).state


def taken(worker: Worker, room: int = 100, *, queue: str = "default") -> list[str]:
    """What a worker gets that asks until no job was put aside."""
    found: list[str] = []
    while True:
        result = worker.cycle(requests=[(queue, room - len(found))])
        found += ids(result.claimed)
        if not result.blocked or len(found) == room:
            return found


def holding(store: Store, *blocked: str, one_of: str = "u") -> tuple[Worker, Claimed]:
    """A worker that runs the job "first" of a key, for which others wait."""
    worker = store.a_worker()
    store.enqueue(new_job("first", one_of=one_of), *(new_job(id, one_of=one_of) for id in blocked))
    [first] = worker.take()
    assert [state_of(store, id) for id in blocked] == [State.BLOCKED] * len(blocked)
    return worker, first


def pulled(store: Store, limit: int = 9) -> list[Claimed]:
    return store.run(claim(limit, queues=["default"], worker="me", token=fresh("t"), ttl=TTL))


def test_of_one_key_one_job_is_claimed_at_a_time(store: Store) -> None:
    """C3: the others are blocked, and say why."""
    worker = store.a_worker()
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"), new_job("d", one_of="v"), new_job("e"))
    assert sorted(taken(worker)) == ["a", "d", "e"]
    assert counts(store) == {State.RUNNING: 3, State.BLOCKED: 2}
    assert store.job("b").reason == "key"
    assert store.job("b").claimed_at is None
    assert store.job("b").fence == 0


def test_an_enqueue_does_not_look_at_keys(store: Store) -> None:
    holding(store)
    [enqueued] = store.enqueue(new_job(one_of="u"))
    assert enqueued.state is State.PENDING


def test_a_key_belongs_to_its_task(store: Store) -> None:
    store.enqueue(new_job("a", task="one", one_of="u"), new_job("b", task="two", one_of="u"))
    assert taken(store.a_worker()) == ["a", "b"]


@pytest.mark.parametrize(
    "outcome",
    [RETURNED, raised(delay=HOUR), FailedPermanently(raised().fault, "permanent"), Postponed(HOUR, None), CANCELLED],
    ids=["returned", "raised", "failed", "postponed", "cancelled"],
)
def test_every_ending_lets_the_next_job_go(store: Store, outcome: Outcome) -> None:
    """C3: also between two attempts, others of the key may run."""
    worker, first = holding(store, "b", "c")
    worker.end(first, outcome)
    assert [state_of(store, id) for id in "bc"] == [State.PENDING, State.BLOCKED]
    assert store.job("b").reason is None
    assert taken(worker) == ["b"]


def test_a_released_job_keeps_its_turn(store: Store) -> None:
    """C3: of those that wait for the key, it has been ready longest."""
    worker, first = holding(store, "b", "c")
    worker.end(first, INTERRUPTED)
    assert [state_of(store, id) for id in ("first", "b", "c")] == [State.PENDING, State.BLOCKED, State.BLOCKED]
    assert store.job("first").reason is None
    [again] = worker.take()
    assert again.id == "first"
    worker.end(again)
    assert taken(worker) == ["b"]


def test_a_job_of_higher_priority_goes_before_one_that_is_released(store: Store) -> None:
    worker, first = holding(store)
    store.enqueue(new_job("low", one_of="u", priority=-1), new_job("high", one_of="u", priority=1))
    assert taken(worker) == []
    worker.end(first, INTERRUPTED)
    assert counts(store) == {State.PENDING: 1, State.BLOCKED: 2}
    assert store.job("first").reason == "key", "it waits with the others"
    order = []
    for _ in range(3):
        [running] = worker.take()
        order.append(running.id)
        worker.end(running)
    assert order == ["high", "first", "low"]


def test_a_released_job_for_whose_key_none_waits_holds_nothing(store: Store) -> None:
    worker, first = holding(store)
    worker.end(first, INTERRUPTED)
    store.enqueue(new_job("high", one_of="u", priority=1))
    assert taken(worker, 1) == ["high"]


def test_released_jobs_take_no_more_places_than_a_limit_that_shrank(store: Store) -> None:
    store.run(declare({"greet": 2}))
    worker = store.a_worker()
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"))
    one, other = worker.take()
    assert state_of(store, "c") is State.BLOCKED
    store.run(declare({"greet": 1}))
    worker.cycle(endings=[ending(one, INTERRUPTED), ending(other, INTERRUPTED)])
    assert [state_of(store, id) for id in "abc"] == [State.PENDING, State.BLOCKED, State.BLOCKED]
    assert taken(worker) == ["a"]


def test_a_cancelled_job_that_is_released_passes_its_key_on(store: Store) -> None:
    worker, first = holding(store, "b")
    cancel(store, "first")
    worker.end(first, INTERRUPTED)
    assert [state_of(store, id) for id in ("first", "b")] == [State.CANCELLED, State.PENDING]


def test_a_release_that_is_sent_twice_changes_nothing_more(store: Store) -> None:
    worker, first = holding(store, "b")
    worker.end(first, INTERRUPTED)
    worker.end(first, INTERRUPTED)
    assert [state_of(store, id) for id in ("first", "b")] == [State.PENDING, State.BLOCKED]


def test_a_rescue_gives_the_key_back(store: Store) -> None:
    """C3, F3: the key of a dead worker's job is free with the rescue."""
    holding(store)
    store.advance(TTL)
    store.rescue()
    store.enqueue(new_job("high", one_of="u", priority=1))
    assert taken(store.a_worker(), 1) == ["high"]


def test_a_rescued_job_keeps_its_turn(store: Store) -> None:
    """C3, F3: of those that wait for the key, it has been ready longest; nor is it forgotten while it is a suspect."""
    holding(store, "b")
    store.advance(TTL)
    assert [(found.id, found.state) for found in store.rescue()] == [("first", State.PENDING)]
    assert [state_of(store, id) for id in ("first", "b")] == [State.PENDING, State.BLOCKED]
    worker = store.a_worker()
    [again] = worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed
    assert again.id == "first"
    worker.end(again)
    assert taken(worker) == ["b"]


def test_a_stale_ending_gives_nothing_back(store: Store) -> None:
    worker, first = holding(store, "b", "c")
    store.advance(TTL)
    store.rescue()
    other = store.a_worker()
    assert ids(other.cycle(requests=[("default", 9)], takes_suspect=True).claimed) == ["first"]
    worker.end(first)
    assert [state_of(store, id) for id in "bc"] == [State.BLOCKED, State.BLOCKED]
    assert taken(store.a_worker(), queue="default") == []


def test_the_ending_and_the_claim_of_the_next_are_one_cycle(store: Store) -> None:
    worker, first = holding(store, "b", "c")
    result = worker.cycle(endings=[ending(first)], requests=[("default", 9)])
    assert ids(result.claimed) in (["b"], [])
    assert ids(result.claimed) == ["b"] or taken(worker) == ["b"]
    assert state_of(store, "c") is State.BLOCKED


def test_an_ending_that_is_sent_twice_gives_one_key_back(store: Store) -> None:
    worker, first = holding(store, "b", "c")
    worker.end(first)
    worker.end(first)
    assert [state_of(store, id) for id in "bc"] == [State.PENDING, State.BLOCKED]


@pytest.mark.parametrize("act", [remove, cancel, put_off])
def test_a_job_that_was_to_run_next_passes_its_turn_on(store: Store, act: Callable[[Store, str], None]) -> None:
    worker, first = holding(store, "b", "c")
    worker.end(first)
    act(store, "b")
    assert state_of(store, "c") is State.PENDING
    assert taken(worker) == ["c"]


def test_all_that_wait_are_cancelled_together(store: Store) -> None:
    """A4: also the one that was to run next; none of them comes back."""
    worker, first = holding(store, "b", "c", "d")
    worker.end(first)
    store.run(jobs.cancel([store.job(id).seq for id in "bcd"], by="me"))
    assert [state_of(store, id) for id in "bcd"] == [State.CANCELLED] * 3
    assert taken(worker) == []
    store.enqueue(new_job("e", one_of="u"))
    assert taken(worker) == ["e"], "nothing is left of the key"


@pytest.mark.parametrize("act", [remove, cancel])
def test_a_blocked_job_can_be_taken_away(store: Store, act: Callable[[Store, str], None]) -> None:
    worker, first = holding(store, "b", "c")
    act(store, "b")
    worker.end(first)
    assert taken(worker) == ["c"]


def test_a_job_that_was_put_off_holds_nothing_when_it_is_due(store: Store) -> None:
    worker, first = holding(store, "b")
    worker.end(first)
    put_off(store, "b")
    store.advance(HOUR)
    worker = store.a_worker()
    store.run(jobs.promote())
    store.enqueue(new_job("c", one_of="u", priority=1))
    assert taken(worker, 1) == ["c"]
    assert taken(worker) == []
    assert state_of(store, "b") is State.BLOCKED


def test_a_blocked_job_is_not_retried_or_rescheduled(store: Store) -> None:
    holding(store, "b")
    seq = store.job("b").seq
    assert store.run(jobs.retry([seq], by="me")).seqs == []
    assert not store.run(jobs.reschedule(seq, delay=HOUR))
    assert state_of(store, "b") is State.BLOCKED


def test_a_job_that_is_retried_by_hand_holds_no_key(store: Store) -> None:
    worker, first = holding(store, "b", "c")
    worker.end(first)
    cancel(store, "b")
    store.run(jobs.retry([store.job("b").seq], by="me"))
    assert taken(worker) == ["c"]
    assert state_of(store, "b") is State.BLOCKED


def test_jobs_of_a_key_run_in_the_order_of_claims(store: Store) -> None:
    worker, running = holding(store)
    store.enqueue(new_job("b", one_of="u"), new_job("low", one_of="u", priority=-1))
    store.advance(SECOND)
    store.enqueue(new_job("c", one_of="u"), new_job("high", one_of="u", priority=1))
    assert taken(worker) == []
    order = []
    for _ in range(4):
        worker.end(running)
        [running] = worker.take()
        order.append(running.id)
    assert order == ["high", "b", "c", "low"]


def test_a_key_with_many_jobs_does_not_hold_up_a_key_with_one(store: Store) -> None:
    """C3: those behind come at once, however few jobs are asked for."""
    worker = store.a_worker()
    store.enqueue(*(new_job(one_of="u") for _ in range(700)))
    store.enqueue(new_job("other", one_of="v"), new_job("free"))
    found = taken(worker, 3)
    assert found[1:] == ["other", "free"]
    assert counts(store)[State.BLOCKED] == 699


def test_a_limit_may_be_larger_than_one(store: Store) -> None:
    store.run(declare({"greet": 2}))
    worker = store.a_worker()
    store.enqueue(*(new_job(id, one_of="u") for id in "abcd"))
    [one, other] = worker.take()
    assert [one.id, other.id] == ["a", "b"]
    worker.cycle(endings=[ending(one), ending(other)])
    assert taken(worker) == ["c", "d"]


def test_a_limit_that_grows_lets_jobs_go(store: Store) -> None:
    holding(store, "b", "c", "d")
    store.run(declare({"greet": 3, "other": 1}))
    assert [state_of(store, id) for id in "bcd"] == [State.PENDING, State.PENDING, State.BLOCKED]


def test_a_limit_that_shrinks_lets_running_jobs_finish(store: Store) -> None:
    store.run(declare({"greet": 2}))
    worker = store.a_worker()
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"))
    one, other = worker.take()
    store.run(declare({"greet": 1}))
    worker.end(one)
    assert taken(worker) == []
    worker.end(other)
    assert taken(worker) == ["c"]


def test_a_manual_claim_counts(store: Store) -> None:
    """C3: and is held back as a worker is."""
    store.enqueue(*(new_job(id, one_of="u") for id in "ab"), new_job("c"))
    [first, free] = pulled(store)
    assert [first.id, free.id] == ["a", "c"]
    assert taken(store.a_worker()) == []
    assert pulled(store) == []
    store.end(free)
    store.end(first)
    [second] = pulled(store)
    assert second.id == "b"
    store.enqueue(new_job("d", one_of="u"))
    assert pulled(store) == []
    store.advance(TTL)
    store.rescue()
    assert ids(pulled(store)) == ["b"], "it keeps its turn"


def test_a_repeated_manual_claim_takes_nothing_twice(store: Store) -> None:
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"))
    operation = claim(9, queues=["default"], worker="me", token="t", ttl=TTL)
    again = claim(9, queues=["default"], worker="me", token="t", ttl=TTL)
    assert ids(store.run(operation)) == ids(store.run(again)) == ["a"]


def test_a_repeated_cycle_finds_what_the_first_took(store: Store) -> None:
    store.enqueue(*(new_job(id, one_of="u") for id in "abc"))
    worker = store.a_worker()
    first = worker.take(token="t")
    assert worker.cycle(token="t").claimed == first
    assert ids(first) == ["a"]


def test_a_suspect_waits_for_its_key(store: Store) -> None:
    store.enqueue(new_job("first", one_of="u"))
    store.a_worker().take()
    store.advance(TTL)
    store.rescue()
    worker = store.a_worker()
    store.enqueue(new_job("b", one_of="u", priority=1))
    [b] = worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed
    assert b.id == "b"
    for _ in range(2):
        assert worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed == []
    assert state_of(store, "first") is State.BLOCKED
    worker.end(b)
    assert ids(worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed) == ["first"]


def suspects(store: Store, **keys: str | None) -> None:
    """Jobs with these keys that wait after their runs died with their worker."""
    store.enqueue(*(new_job(id, one_of=key) for id, key in keys.items()))
    assert len(store.a_worker().take()) == len(keys)
    store.advance(TTL)
    store.rescue()


def test_a_suspect_is_blocked_only_when_it_would_be_claimed(store: Store) -> None:
    suspects(store, s="u")
    worker = store.a_worker(ttl=HOUR)
    store.enqueue(new_job("first", one_of="u"))
    assert ids(worker.cycle(requests=[("default", 1)], takes_suspect=False).claimed) == ["first"]
    store.enqueue(new_job("high", priority=1))
    worker.cycle(requests=[("default", 1)], takes_suspect=False)
    assert state_of(store, "s") is State.PENDING, "the worker has a suspect in flight"
    store.enqueue(new_job("higher", priority=2))
    assert ids(worker.cycle(requests=[("default", 1)], takes_suspect=True).claimed) == ["higher"]
    assert state_of(store, "s") is State.PENDING, "another comes first"
    store.run(queues.pause("default", by="me", reason=None))
    worker.cycle(requests=[("default", 1)], takes_suspect=True)
    assert state_of(store, "s") is State.PENDING, "the queue is paused"
    store.run(queues.pause("default", by="me", reason=None, is_paused=False))
    worker.cycle(requests=[("default", 1)], takes_suspect=True)
    assert state_of(store, "s") is State.BLOCKED


def test_a_suspect_gets_a_key_before_the_others_of_its_priority(store: Store) -> None:
    """As it would be claimed before them."""
    suspects(store, s="u")
    store.advance(-HOUR)
    store.enqueue(new_job("older", one_of="u"))
    worker = store.a_worker()
    assert ids(worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed) == ["s"]
    assert state_of(store, "older") is State.BLOCKED


def test_a_suspect_behind_one_that_is_blocked_comes_before_the_others(store: Store) -> None:
    """Also where there is room for one job only."""
    suspects(store, s="u", t=None)
    worker = store.a_worker()
    store.run(queues.change("default", {"max_running": 2}, by="me"))
    store.enqueue(new_job("first", one_of="u"), new_job("last"))
    assert ids(worker.cycle(requests=[("default", 1)], takes_suspect=False).claimed) == ["first"]
    assert taken(worker, 9) == ["t"]
    assert state_of(store, "s") is State.BLOCKED


def test_a_manual_claim_takes_suspects_in_their_order_also_behind_one_that_is_blocked(store: Store) -> None:
    suspects(store, s="u", t=None)
    store.enqueue(new_job("high", one_of="u", priority=1), new_job("last"))
    assert ids(pulled(store, 1)) == ["high"]
    assert ids(pulled(store, 1)) == ["t"]
    assert state_of(store, "s") is State.BLOCKED


def test_a_manual_claim_takes_a_suspect_behind_another_that_is_blocked(store: Store) -> None:
    suspects(store, s=None)
    store.advance(-HOUR)
    store.enqueue(new_job("high", one_of="u", priority=1), new_job("older", one_of="u"))
    store.advance(HOUR)
    store.enqueue(new_job("last"))
    assert [ids(pulled(store, 1)) for _ in range(2)] == [["high"], ["s"]]
    assert state_of(store, "older") is State.BLOCKED


def test_a_job_that_is_to_run_next_keeps_its_turn_when_it_is_to_run_now(store: Store) -> None:
    """C3: "run it now" changes nothing for a job that is ready."""
    worker, first = holding(store, "b", "c")
    worker.end(first)
    assert store.run(jobs.reschedule(store.job("b").seq, delay=0))
    assert [state_of(store, id) for id in "bc"] == [State.PENDING, State.BLOCKED]
    assert taken(worker) == ["b"]


def test_a_paused_queue_blocks_nothing(store: Store) -> None:
    worker, _ = holding(store)
    store.run(queues.pause("default", by="me", reason=None))
    store.enqueue(new_job("b", one_of="u"))
    assert taken(worker) == []
    assert state_of(store, "b") is State.PENDING


def test_several_queues_share_a_key(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(*(new_job(queue, queue=queue, one_of="u") for queue in ("a", "b", "c")))
    result = worker.cycle(requests=[("a", 1), ("b", 1), ("c", 5)])
    assert ids(result.claimed) == ["a"]
    worker.cycle(endings=[ending(result.claimed[0])])
    assert ids(worker.cycle(requests=[("a", 1), ("b", 1), ("c", 5)]).claimed) == ["b"]


def test_what_was_left_waiting_is_let_go(store: Store) -> None:
    """Whatever freed the key past us: nothing waits for ever."""
    store.enqueue(*(new_job(id, one_of="u") for id in "ab"))
    assert ids(store.a_worker().take()) == ["a"]
    assert store.run(unblock_all()) == 0
    store.run(force_limit(2))
    assert store.run(unblock_all()) == 1
    assert state_of(store, "b") is State.PENDING
    assert store.run(unblock_all()) == 0


def force_limit(number: int) -> Operation[Answer]:
    """The bare call, which lets no job go by itself."""
    return (yield Call("key_limits_declare", {"limits": [("greet", number)]}))


def test_why_is_told_who_holds_the_key(store: Store) -> None:
    """F2: these jobs before it."""
    worker, first = holding(store, "b", "c")
    assert store.run(key_line(store.job("b").seq)) == KeyLine([("first", State.RUNNING)], 0)
    assert store.run(key_line(store.job("c").seq)) == KeyLine([("first", State.RUNNING)], 1)
    worker.end(first)
    assert store.run(key_line(store.job("c").seq)) == KeyLine([("b", State.PENDING)], 0)


def test_keys_travel_to_another_store(store: Store) -> None:
    """C3: what waits there is decided there."""
    worker, _ = holding(store, "b", "c")
    load = store.run(export(["b", "c"]))
    for id in "bc":
        remove(store, id)
    store.run(store_batch(load))
    assert [state_of(store, id) for id in "bc"] == [State.PENDING] * 2
    assert store.job("b").concurrency_key == stored_key("greet", "u")
    assert taken(worker) == []


def test_concurrent_claimers_never_exceed_the_limit(store: Store) -> None:
    """C3: four claim and end at once; of no key two run, and every job ends."""
    store.run(declare({"greet": 1}))
    store.enqueue(*(new_job(one_of=f"k{number % 5}") for number in range(60)))
    others = [store.another(now=store.clock) for _ in range(4)]

    def work(own: Store) -> int:
        worker, ended, idle = own.a_worker(), 0, 0
        running: list[Claimed] = []
        while idle < 20:
            result = worker.cycle(endings=[ending(job) for job in running], requests=[("default", 4)])
            assert not result.refused
            ended += len(running)
            running = result.claimed
            held = [job.concurrency_key for job in running]
            assert len(held) == len(set(held))
            idle = 0 if running or result.blocked else idle + 1
        return ended

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(work, own) for own in others]
        watched = [overlaps(store) for _ in range(40)]
        ended = sum(future.result() for future in futures)
    assert not any(watched)
    store.run(unblock_all())
    rest = store.a_worker()
    while more := rest.take():
        rest.cycle(endings=[ending(job) for job in more])
        ended += len(more)
    assert ended == 60
    assert counts(store) == {State.COMPLETED: 60}


def overlaps(store: Store) -> list[str]:
    """Keys of which two jobs run at this moment."""
    running = [
        job.concurrency_key
        for job in store.run(queries.page(queries.Filter(states=(State.RUNNING,)), limit=100)).jobs
        if job.state is State.RUNNING
    ]
    return [key for key in set(running) if key is not None and running.count(key) > 1]
