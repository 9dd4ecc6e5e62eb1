"""Rates of tasks and keys: every claim takes a token, jobs without one are blocked, and promote lets them go."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from random import Random

import pytest

from tests.store.builders import DAY, HOUR, INTERRUPTED, SECOND, TTL, ending, fresh, ids, new_job, raised
from tests.store.changes import cancel, put_off, remove
from tests.store.processes import running
from tests.store.rate_bound import assert_within
from tests.store.stores import Store, Worker, open_store
from windlass.core.rates.cooldown import Cooldown
from windlass.core.rates.key import rate_gate
from windlass.core.rates.rate import Rate
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Call, Operation
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.gates import Gate, gates
from windlass.store.operations.jobs import promote
from windlass.store.operations.limits.concurrency import unblock_all
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import next_due
from windlass.store.operations.rates.cooldowns import Scope, cool_down
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.transfer import export, store_batch

MINUTE = 60 * SECOND
ONE_A_SECOND = Rate(1, SECOND, 1)


def declare(store: Store, rate: Rate | None, task: str = "greet") -> None:
    store.run(declare_rates({} if rate is None else {task: rate}, without=[task] if rate is None else []))


def state_of(store: Store, id: str) -> State:
    return store.job(id).state


def counts(store: Store) -> dict[State, int]:
    every = store.run(queries.counts()).values()
    return {state: number for state in State if (number := sum(found.get(state, 0) for found in every))}


def taken(worker: Worker, room: int = 100, *, queue: str = "default") -> list[str]:
    """What a worker gets that asks until no job was put aside."""
    found: list[str] = []
    while True:
        result = worker.cycle(requests=[(queue, room - len(found))])
        found += ids(result.claimed)
        if not result.blocked or len(found) == room:
            return found


def pulled(store: Store, limit: int = 9, *, token: str | None = None) -> list[Claimed]:
    return store.run(claim(limit, queues=["default"], worker="me", token=token or fresh("t"), ttl=DAY))


def later(store: Store, milliseconds: int) -> int:
    """Let time pass, and what may go by then; how many jobs."""
    store.advance(milliseconds)
    return store.run(promote())


def out_of_tokens(store: Store, *waiting: str, rate: Rate = ONE_A_SECOND, key: str = "u") -> Worker:
    """A worker that has taken the one token of a key, for which others wait."""
    declare(store, rate)
    worker = store.a_worker(ttl=DAY)
    store.enqueue(new_job("first", rate_key=key), *(new_job(id, rate_key=key) for id in waiting))
    assert taken(worker) == ["first"]
    assert [state_of(store, id) for id in waiting] == [State.BLOCKED] * len(waiting)
    return worker


def test_a_claim_gets_no_more_jobs_of_a_key_than_there_are_tokens(store: Store) -> None:
    """C6: ``rate=`` on a task, and per key; the others are blocked, and say why."""
    declare(store, Rate(1, SECOND, 2))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(id, rate_key="u") for id in "abcd"), new_job("e", rate_key="v"), new_job("f"))
    result = worker.cycle(requests=[("default", 9)])
    assert sorted(ids(result.claimed) + taken(worker)) == ["a", "b", "e", "f"]
    assert (result.blocked, result.has_put_off) == (2, True)
    assert counts(store) == {State.RUNNING: 4, State.BLOCKED: 2}
    assert (store.job("c").reason, store.job("c").claimed_at, store.job("c").fence) == ("rate", None, 0)
    assert store.job("c").rate_key == rate_gate("greet", "u")


def test_a_job_goes_when_there_is_a_token(store: Store) -> None:
    """C6: at the instant at which the token is due, one after the other, in the order of claims."""
    worker = out_of_tokens(store, "b", "c")
    assert store.run(next_due()).next_due == SECOND
    assert later(store, SECOND - 1) == 0
    assert later(store, 1) == 1
    assert (state_of(store, "b"), state_of(store, "c")) == (State.PENDING, State.BLOCKED)
    assert store.job("b").reason is None
    assert taken(worker) == ["b"]
    assert store.run(next_due()).next_due == SECOND
    assert later(store, SECOND) == 1
    assert taken(worker) == ["c"]
    assert store.run(next_due()).next_due is None


def test_a_task_without_a_rate_is_not_held_back(store: Store) -> None:
    store.enqueue(*(new_job(rate_key="u") for _ in range(20)))
    assert len(taken(store.a_worker())) == 20


def test_an_enqueue_does_not_look_at_rates(store: Store) -> None:
    out_of_tokens(store)
    [enqueued] = store.enqueue(new_job(rate_key="u"))
    assert enqueued.state is State.PENDING


def test_a_rate_belongs_to_its_task(store: Store) -> None:
    store.run(declare_rates({"one": Rate(1, SECOND, 1), "two": Rate(1, SECOND, 1)}))
    store.enqueue(*(new_job(f"{task}{number}", task=task, rate_key="u") for task in ("one", "two") for number in "12"))
    assert taken(store.a_worker()) == ["one1", "two1"]


def test_jobs_that_come_later_line_up(store: Store) -> None:
    """C6: order within a key is kept, by priority and then by when they came."""
    worker = out_of_tokens(store, "b", "low")
    store.run(jobs.cancel([store.job("low").seq], by="me"))
    store.advance(10)
    store.enqueue(new_job("c", rate_key="u"), new_job("high", rate_key="u", priority=5))
    order = []
    for _ in range(3):
        store.advance(SECOND)
        assert taken(worker) == [], "a token is there, and it is not for those that come later"
        store.run(promote())
        order += taken(worker)
    assert order == ["high", "b", "c"]


def test_a_key_with_many_jobs_does_not_hold_up_others(store: Store) -> None:
    """C6: those behind come at once, however few jobs are asked for."""
    declare(store, Rate(1, HOUR, 1))
    worker = store.a_worker()
    store.enqueue(*(new_job(rate_key="u") for _ in range(700)))
    store.enqueue(new_job("other", rate_key="v"), new_job("free"))
    assert taken(worker, 3)[1:] == ["other", "free"]
    assert counts(store)[State.BLOCKED] == 699


def test_all_tokens_that_came_meanwhile_let_jobs_go(store: Store) -> None:
    declare(store, Rate(1, SECOND, 3))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(id, rate_key="u") for id in "abcdefgh"))
    assert taken(worker) == list("abc")
    assert later(store, 2 * SECOND) == 2
    assert taken(worker) == list("de")
    assert later(store, HOUR) == 3
    assert store.run(promote()) == 0, "those that were let go have not taken their tokens yet"
    assert taken(worker) == list("fgh")


@pytest.mark.parametrize("outcome", [INTERRUPTED, raised(delay=0)], ids=["released", "raised"])
def test_no_token_is_given_back(store: Store, outcome: object) -> None:
    """C6: the bound holds for claims: what was released, or runs again, takes another one."""
    worker = out_of_tokens(store)
    store.enqueue(new_job("b", rate_key="v"))
    [b] = worker.take()
    worker.end(b, outcome)  # type: ignore[arg-type]
    store.run(promote())
    assert taken(worker) == []
    assert state_of(store, "b") is State.BLOCKED
    assert later(store, SECOND) == 1
    assert taken(worker) == ["b"]


def test_a_rescue_gives_no_token_back(store: Store) -> None:
    declare(store, Rate(1, HOUR, 1))
    store.enqueue(new_job("a", rate_key="u"))
    assert taken(store.a_worker()) == ["a"]
    store.advance(TTL)
    store.rescue()
    worker = store.a_worker(ttl=DAY)
    assert worker.cycle(requests=[("default", 9)]).claimed == []
    assert state_of(store, "a") is State.BLOCKED
    assert later(store, HOUR) == 1
    assert taken(worker) == ["a"], "suspects too"


def test_a_manual_claim_takes_tokens(store: Store) -> None:
    """C6: and is held back as a worker is."""
    declare(store, Rate(1, SECOND, 2))
    store.enqueue(*(new_job(id, rate_key="u") for id in "abcd"), new_job("e"))
    assert ids(pulled(store)) == ["a", "b", "e"]
    assert taken(store.a_worker(ttl=DAY)) == []
    assert pulled(store) == []
    assert later(store, SECOND) == 1
    assert ids(pulled(store)) == ["c"]


def test_a_repeated_manual_claim_takes_nothing_twice(store: Store) -> None:
    declare(store, Rate(1, SECOND, 2))
    store.enqueue(*(new_job(id, rate_key="u") for id in "abc"))
    assert ids(pulled(store, token="t")) == ids(pulled(store, token="t")) == ["a", "b"]
    assert later(store, SECOND) == 1, "one token was left to come, not none"


def test_a_repeated_cycle_finds_what_the_first_took(store: Store) -> None:
    declare(store, Rate(1, SECOND, 1))
    store.enqueue(*(new_job(id, rate_key="u") for id in "ab"))
    worker = store.a_worker()
    first = worker.take(token="t")
    assert worker.cycle(token="t").claimed == first
    assert ids(first) == ["a"]


@pytest.mark.parametrize("act", [remove, cancel, put_off])
def test_a_job_that_was_let_go_passes_its_turn_on(store: Store, act: Callable[[Store, str], None]) -> None:
    """C6: within a second, which is when the next promote may look at the line again."""
    worker = out_of_tokens(store, "b", "c")
    assert later(store, SECOND) == 1
    act(store, "b")
    assert later(store, SECOND) == 1
    assert taken(worker) == ["c"]


@pytest.mark.parametrize("act", [remove, cancel])
def test_a_blocked_job_can_be_taken_away(store: Store, act: Callable[[Store, str], None]) -> None:
    worker = out_of_tokens(store, "b", "c")
    act(store, "b")
    assert later(store, SECOND) == 1
    assert taken(worker) == ["c"]


def test_a_blocked_job_is_not_retried_or_rescheduled(store: Store) -> None:
    out_of_tokens(store, "b")
    seq = store.job("b").seq
    assert store.run(jobs.retry([seq], by="me")).seqs == []
    assert not store.run(jobs.reschedule(seq, delay=HOUR))
    assert state_of(store, "b") is State.BLOCKED


def test_a_line_that_is_gone_holds_no_job_back(store: Store) -> None:
    worker = out_of_tokens(store, "b")
    cancel(store, "b")
    later(store, SECOND)
    store.enqueue(new_job("c", rate_key="u"))
    assert taken(worker) == ["c"]


def test_a_job_that_expires_while_it_waits_is_cancelled(store: Store) -> None:
    worker = out_of_tokens(store)
    store.enqueue(new_job("b", rate_key="u", expires=10), new_job("c", rate_key="u"))
    assert taken(worker) == []
    later(store, SECOND)
    assert (state_of(store, "b"), store.job("b").reason) == (State.CANCELLED, "expired")
    later(store, SECOND)
    assert taken(worker) == ["c"]


def test_a_paused_queue_does_not_keep_tokens_from_others(store: Store) -> None:
    """C6: what was let go and is not claimed holds nothing up for long."""
    worker = out_of_tokens(store, "b")
    store.enqueue(new_job("c", queue="other", rate_key="u"))
    assert taken(worker, queue="other") == []
    store.run(queues.pause("default", by="me", reason=None))
    assert later(store, SECOND) == 1
    for _ in range(3):
        later(store, SECOND)
    assert (state_of(store, "b"), state_of(store, "c")) == (State.PENDING, State.PENDING)
    assert taken(worker, queue="other") == ["c"]
    store.run(queues.pause("default", by="me", reason=None, is_paused=False))
    assert taken(worker) == []
    later(store, SECOND)
    assert taken(worker) == ["b"]


def test_the_rest_of_a_paused_queue_is_left_blocked(store: Store) -> None:
    declare(store, Rate(10, SECOND, 10))
    store.enqueue(*(new_job(rate_key="u") for _ in range(100)))
    taken(store.a_worker())
    store.run(queues.pause("default", by="me", reason=None))
    for _ in range(20):
        later(store, 100)
    assert counts(store)[State.PENDING] <= 12


def test_several_queues_share_a_rate(store: Store) -> None:
    declare(store, Rate(1, SECOND, 1))
    worker = store.a_worker()
    store.enqueue(*(new_job(queue, queue=queue, rate_key="u") for queue in ("a", "b", "c")))
    result = worker.cycle(requests=[("a", 1), ("b", 1), ("c", 5)])
    assert ids(result.claimed) == ["a"]
    assert counts(store) == {State.RUNNING: 1, State.BLOCKED: 2}


def test_a_rate_that_changes_keeps_whole_tokens(store: Store) -> None:
    worker = out_of_tokens(store, *"bcd", rate=Rate(1, HOUR, 1))
    declare(store, Rate(1, SECOND, 2))
    assert store.run(promote()) == 0
    assert later(store, 2 * SECOND) == 2
    assert taken(worker) == ["b", "c"]
    declare(store, Rate(1, HOUR, 1))
    assert later(store, SECOND) == 0


def test_a_rate_that_is_declared_again_changes_nothing(store: Store) -> None:
    worker = out_of_tokens(store, "b")
    declare(store, Rate(1, SECOND, 1))
    assert later(store, SECOND - 1) == 0
    assert later(store, 1) == 1
    assert taken(worker) == ["b"]


def test_jobs_of_a_rate_that_is_gone_go(store: Store) -> None:
    """C6: nothing is stuck when a rate is removed while jobs wait for it."""
    worker = out_of_tokens(store, *"bcd", rate=Rate(1, HOUR, 1))
    declare(store, None)
    assert store.run(promote()) == 3
    assert taken(worker) == list("bcd")
    store.enqueue(new_job("e", rate_key="u"))
    assert taken(worker) == ["e"]


def test_idle_keys_leave_nothing_behind(store: Store) -> None:
    """C6: a bucket that is full again is removed by tidying, and is full."""
    declare(store, Rate(1, SECOND, 2))
    worker = store.a_worker(ttl=DAY)
    for number in range(5):
        store.enqueue(*(new_job(rate_key=f"k{number}") for _ in range(3)))
    assert len(taken(worker)) == 10
    assert tidied(store) == 0
    store.advance(SECOND)
    store.run(promote())
    assert len(taken(worker)) == 5
    store.advance(HOUR)
    assert tidied(store) == 5
    assert tidied(store) == 0
    store.enqueue(*(new_job(rate_key="k1") for _ in range(3)))
    assert len(taken(worker)) == 2


def tidied(store: Store) -> int:
    def run() -> Operation[int]:
        answer = yield Call("tidy_leftovers", {"limit": 100})
        return len(answer["rates"])

    return store.run(run())


def test_a_job_may_have_a_rate_and_a_concurrency_key(store: Store) -> None:
    """C3, C6: each of both holds, and every job comes to its turn."""
    declare(store, Rate(1, SECOND, 1))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(one_of=f"k{number % 2}", rate_key=f"u{number % 3}") for number in range(12)))
    for _ in range(40):
        result = worker.cycle(requests=[("default", 9)])
        for keys in ([job.concurrency_key for job in result.claimed], [job.rate_key for job in result.claimed]):
            assert len(keys) == len(set(keys))
        worker.cycle(endings=[ending(job) for job in result.claimed])
        if not result.blocked:
            later(store, 500)
    assert counts(store) == {State.COMPLETED: 12}


def test_a_key_that_was_promised_goes_on_when_there_is_no_token(store: Store) -> None:
    """C3: one that has no token does not keep its key from others."""
    declare(store, Rate(1, MINUTE, 1))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(id, one_of="k", rate_key=f"of {id}") for id in "abc"))
    [a] = worker.take()
    assert (store.job("b").reason, store.job("c").reason) == ("key", "key")
    store.enqueue(new_job("d", rate_key="of b"))
    assert taken(worker) == ["d"], "the token was not taken by a job that waits for its key"
    worker.end(a)
    assert state_of(store, "b") is State.PENDING
    assert taken(worker) == ["c"]
    assert store.job("b").reason == "rate"


def test_the_gate_is_named(store: Store) -> None:
    """F2: out of tokens until."""
    out_of_tokens(store, "b")
    for id in ("b", store.a_job(new_job("c", rate_key="u")).id):
        found = store.run(gates(store.job(id).seq))
        assert found is not None
        assert Gate.RATE_OUT_OF_TOKENS in found.names()
        assert found.shut[-1].ends_at == store.clock() + SECOND
    store.run(declare_rates({}, without=["greet"]))
    found = store.run(gates(store.job("b").seq))
    assert found is not None
    assert Gate.RATE_OUT_OF_TOKENS not in found.names()


def test_a_job_that_has_its_concurrency_key_does_not_line_up(store: Store) -> None:
    """F2: the claim and the gates agree about a job that others of its rate wait before."""
    declare(store, ONE_A_SECOND)
    worker = store.a_worker(ttl=DAY)
    store.enqueue(new_job("holder", one_of="k"), new_job("next", one_of="k", rate_key="u"))
    [holder] = worker.take()
    store.enqueue(new_job("first", rate_key="u"), new_job("waits", rate_key="u"))
    assert taken(worker) == ["first"]
    worker.end(holder)
    assert [(state_of(store, id), store.job(id).reason) for id in ("next", "waits")] == [
        (State.PENDING, None),
        (State.BLOCKED, "rate"),
    ]
    store.advance(SECOND)
    found = store.run(gates(store.job("next").seq))
    assert found is not None
    assert Gate.RATE_OUT_OF_TOKENS not in found.names()
    assert taken(worker) == ["next"]


def test_a_rate_cools_down_for_all(store: Store) -> None:
    """C7: nothing of the key begins until the end, and others do."""
    worker = store.a_worker(ttl=DAY)
    declare(store, Rate(10, SECOND, 10))
    store.enqueue(new_job("a", rate_key="u"))
    [a] = worker.take()
    cooling = store.run(cool_down(Scope.TASK, rate_gate("greet", "u"), a, rule=Cooldown(), chosen=MINUTE, reason="429"))
    assert cooling is not None
    store.enqueue(new_job("b", rate_key="u"), new_job("c", rate_key="v"))
    assert taken(worker) == ["c"]
    found = store.run(gates(store.job("b").seq))
    assert found is not None
    assert [(gate.gate, gate.reason, gate.ends_at) for gate in found.shut if gate.gate is Gate.RATE_COOLING] == [
        (Gate.RATE_COOLING, "429", store.clock() + MINUTE)
    ]
    assert later(store, 10) == later(store, MINUTE - 20) == 0
    later(store, 10)
    assert taken(worker) == ["b"]


def test_an_argument_that_is_replaced_takes_its_key_along(store: Store) -> None:
    worker = out_of_tokens(store)
    naming = Uniqueness(on_conflict="replace")
    store.enqueue(new_job("b", key="x", rate_key="u"), naming=naming)
    assert taken(worker) == []
    store.enqueue(new_job(key="x", rate_key="v", payload='{"v":1,"a":[2]}'), naming=naming)
    assert (state_of(store, "b"), store.job("b").rate_key) == (State.PENDING, rate_gate("greet", "v"))
    assert taken(worker) == ["b"]


def test_keys_travel_to_another_store(store: Store) -> None:
    """C6: what waits there is decided there."""
    worker = out_of_tokens(store, "b", "c")
    load = store.run(export(["b", "c"]))
    for id in "bc":
        remove(store, id)
    store.run(store_batch(load))
    assert [state_of(store, id) for id in "bc"] == [State.PENDING] * 2
    assert store.job("b").rate_key == rate_gate("greet", "u")
    assert taken(worker) == []


def test_a_clock_that_goes_back_makes_no_tokens(store: Store) -> None:
    """E7: and nothing waits for it to come round again."""
    worker = out_of_tokens(store, "b")
    store.advance(-HOUR)
    assert later(store, 0) == 0
    store.run(unblock_all())
    assert later(store, SECOND - 1) == 0
    assert later(store, 1) == 1
    assert taken(worker) == ["b"]


@pytest.mark.parametrize("seed", range(3))
def test_in_any_window_no_more_than_the_rate_and_the_burst(store: Store, seed: int) -> None:
    """C6: by their claimed_at, whatever is asked when and by whom; and no job is left behind."""
    random = Random(seed)
    rate = Rate(3, SECOND, 4)
    declare(store, rate)
    workers = [store.a_worker(ttl=DAY) for _ in range(3)]
    waiting = [new_job(rate_key=f"k{number % 3}", priority=number % 2) for number in range(60)]
    claimed: dict[str, list[tuple[int, str]]] = {}
    for _ in range(120):
        for new in waiting[: random.randrange(4)]:
            store.enqueue(new)
            waiting.remove(new)
        store.advance(random.choice((0, 7, 50, 333, 900)))
        if random.random() < 0.8:
            store.run(promote())
        for job in random.choice(workers).take(random.randrange(1, 9)):
            claimed.setdefault(job.rate_key or "", []).append((store.clock(), job.id))
            if random.random() < 0.5:
                workers[0].cycle(endings=[ending(job)])
    for _ in range(40):
        store.run(promote())
        for job in workers[0].take():
            claimed.setdefault(job.rate_key or "", []).append((store.clock(), job.id))
        store.advance(SECOND)
    assert sum(len(found) for found in claimed.values()) == 60 - len(waiting)
    for found in claimed.values():
        assert_within(rate, [at for at, _ in found])


@pytest.mark.only_on("postgres")
def test_the_bound_holds_over_four_processes(store: Store) -> None:
    """C6: whatever the order in which their claims get the bucket, by the instants that the jobs keep."""
    rate = Rate(60, SECOND, 6)
    with open_store(store.place) as real, ExitStack() as started:
        declare(real, rate)
        real.enqueue(*(new_job(rate_key=f"k{number % 3}") for number in range(450)))
        arguments = ("tests.store.rate_process", real.place.url, real.place.namespace)
        processes = [started.enter_context(running(*arguments, f"w{number}", "1000")) for number in range(4)]
        for process in processes:
            assert process.line() == "ready"
        for process in processes:
            process.say("go")
        assert [process.line() for process in processes] == ["done"] * 4
        found = real.run(queries.page(queries.Filter(states=(State.COMPLETED,)), limit=500)).jobs
    for key in range(3):
        seen = [job.claimed_at for job in found if job.rate_key == rate_gate("greet", f"k{key}") and job.claimed_at]
        assert len(seen) > rate.burst, "more than the first burst"
        assert_within(rate, seen)
