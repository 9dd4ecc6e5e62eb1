"""Rates of tasks that operators choose: they go before what code declares, and outlive deploys."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, SECOND, ids, new_job
from tests.store.stores import Store, Worker
from windlass.core.rates.cooldown import Cooldown
from windlass.core.rates.key import rate_gate
from windlass.core.rates.rate import Rate, write_rate
from windlass.core.state import State
from windlass.store.operations.jobs import promote
from windlass.store.operations.queries import next_due
from windlass.store.operations.rates.cooldowns import Scope, cool_down, end_cooldown
from windlass.store.operations.rates.tasks import NO_RATE, TaskRateRecord, change_rate, declare_rates, task_rates

HOURLY = Rate(1, HOUR, 1)
QUICK = Rate(10, SECOND, 5)


def choose(store: Store, rate: Rate | None, *, seen: int | None = None) -> bool:
    return store.run(change_rate("greet", NO_RATE if rate is None else write_rate(rate), by="ada", seen=seen))


def rate_of(store: Store, task: str = "greet") -> TaskRateRecord:
    [found] = store.run(task_rates(task))
    return found


def taken(worker: Worker) -> list[str]:
    found: list[str] = []
    while True:
        result = worker.cycle(requests=[("default", 100)])
        found += ids(result.claimed)
        if not result.blocked:
            return found


def waiting(store: Store, *jobs: str) -> Worker:
    """A worker that has taken the one token of a key, for which these jobs wait."""
    store.run(declare_rates({"greet": HOURLY}))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(id, rate_key="u") for id in ("first", *jobs)))
    assert taken(worker) == ["first"]
    return worker


def test_what_an_operator_chooses_goes_before_the_code(store: Store) -> None:
    """C6, C10: and a deploy does not change it."""
    store.run(declare_rates({"greet": HOURLY, "other": HOURLY}))
    assert choose(store, Rate(3, HOUR, 3))
    store.run(declare_rates({"greet": Rate(2, HOUR, 2)}))
    assert rate_of(store) == TaskRateRecord("greet", "[2,3600000,2]", "[3,3600000,3]", START, "ada")
    assert rate_of(store).rate == Rate(3, HOUR, 3)
    assert store.run(task_rates())[1] == TaskRateRecord("other", write_rate(HOURLY))
    store.enqueue(*(new_job(id, rate_key="u") for id in "abcde"))
    assert taken(store.a_worker()) == list("abc")


def test_a_faster_rate_lets_go_what_waits(store: Store) -> None:
    """C6: at the next promote, which is due at once."""
    worker = waiting(store, "b", "c")
    assert choose(store, QUICK)
    due = store.run(next_due()).next_due
    assert due is not None
    assert due <= 0
    store.advance(SECOND)
    assert store.run(promote()) == 2
    assert taken(worker) == ["b", "c"]


def test_no_rate_lets_all_go(store: Store) -> None:
    worker = waiting(store, "b", "c", "d")
    assert choose(store, None)
    assert rate_of(store).rate is None
    assert store.run(promote()) == 3
    store.enqueue(*(new_job(id, rate_key="u") for id in "ef"))
    assert taken(worker) == ["b", "c", "d", "e", "f"]


def test_a_slower_rate_holds_back_what_comes_later(store: Store) -> None:
    """Tokens that are there stay, as far as the new burst has room."""
    store.run(declare_rates({"greet": QUICK}))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(new_job("a", rate_key="u"))
    assert taken(worker) == ["a"]
    assert choose(store, Rate(1, HOUR, 2))
    store.enqueue(*(new_job(id, rate_key="u") for id in "bcd"))
    assert taken(worker) == ["b", "c"]
    assert (store.job("d").state, store.job("d").reason) == (State.BLOCKED, "rate")


def test_the_code_decides_again_when_the_choice_is_taken_back(store: Store) -> None:
    worker = waiting(store, "b")
    choose(store, None)
    assert store.run(change_rate("greet", None, by="ada"))
    assert rate_of(store) == TaskRateRecord("greet", write_rate(HOURLY))
    store.run(promote())
    assert taken(worker) == [], "the hourly token was spent"
    store.advance(HOUR)
    store.run(promote())
    assert taken(worker) == ["b"]


def test_a_choice_outlives_the_declaration(store: Store) -> None:
    """Of two releases side by side one may not declare the rate."""
    store.run(declare_rates({"greet": HOURLY}))
    choose(store, QUICK)
    store.run(declare_rates({}, without=["greet"]))
    assert rate_of(store) == TaskRateRecord("greet", None, write_rate(QUICK), START, "ada")
    assert store.run(change_rate("greet", None, by="ada"))
    assert store.run(task_rates()) == []


def test_two_operators_do_not_overwrite_each_other_unseen(store: Store) -> None:
    store.run(declare_rates({"greet": HOURLY}))
    assert choose(store, QUICK, seen=0)
    assert not choose(store, HOURLY, seen=0)
    assert rate_of(store).rate == QUICK
    seen = rate_of(store).changed_at
    store.advance(1)
    assert choose(store, HOURLY, seen=seen)
    assert not choose(store, QUICK, seen=seen)


def test_a_repeated_choice_changes_nothing_but_the_time(store: Store) -> None:
    waiting(store, "b")
    for _ in range(2):
        choose(store, Rate(2, HOUR, 2))
        store.advance(SECOND)
    assert store.run(promote()) == 0
    assert rate_of(store).changed_at == START + SECOND


def test_the_end_of_a_cool_down_lets_go_what_waits(store: Store) -> None:
    """C7: at the next promote, and not when the cool-down would have ended."""
    store.run(declare_rates({"greet": Rate(10, SECOND, 10)}))
    worker = store.a_worker(ttl=DAY)
    store.enqueue(*(new_job(id, rate_key="u") for id in "ab"))
    [a] = worker.cycle(requests=[("default", 1)]).claimed
    name = rate_gate("greet", "u")
    store.run(cool_down(Scope.TASK, name, a, rule=Cooldown(), chosen=HOUR, reason="429"))
    assert taken(worker) == []
    assert store.job("b").state is State.BLOCKED
    store.advance(SECOND)
    assert store.run(promote()) == 0
    assert store.run(end_cooldown(Scope.TASK, name))
    assert store.run(promote()) == 1
    assert taken(worker) == ["b"]
