"""limits: token buckets that many processes share, and the line of callers that wait."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random

import pytest

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, MINUTE, SECOND
from tests.store.processes import running
from tests.store.stores import Store, open_store
from windlass.core.rates.bucket import full_bucket
from windlass.core.rates.rate import MOST, Rate, read_rate
from windlass.store.operations.rates import limits
from windlass.store.operations.rates.limits import LimitRecord, LimitSeed, TakeResult
from windlass.store.operations.upkeep.tidy import tidy_leftovers


def seed(store: Store, rate: str, burst: int | None = None, name: str = "github") -> None:
    read = read_rate(rate, burst)
    store.run(limits.ensure([LimitSeed(name, read.amount, read.period, read.burst)]))


def take(store: Store, waiter: str | None = None, name: str = "github") -> TakeResult:
    found = store.run(limits.take(name, waiter=waiter))
    assert found is not None
    return found


def stored(store: Store, name: str = "github") -> LimitRecord:
    [found], _ = store.run(limits.limits(name))
    return found


def tokens(store: Store, name: str = "github") -> int:
    [found], now = store.run(limits.limits(name))
    return found.bucket(now).tokens


def test_a_bucket_begins_full_gives_its_tokens_and_then_says_when_the_next_is_due(store: Store) -> None:
    """C6: a shared budget."""
    seed(store, "30/min", 2)
    assert [take(store).is_taken for _ in range(3)] == [True, True, False]
    assert take(store) == TakeResult(False, 2000, 0)
    store.advance(1500)
    assert take(store) == TakeResult(False, 500, 0)
    store.advance(500)
    assert [take(store).is_taken for _ in range(2)] == [True, False]


def test_a_limit_that_does_not_exist_is_none(store: Store) -> None:
    assert store.run(limits.take("unknown")) is None
    assert not store.run(limits.drain("unknown"))
    assert not store.run(limits.remove("unknown"))
    assert not store.run(limits.change("unknown", rate=None, burst=5, by="me"))
    assert store.run(limits.limits())[0] == []


@pytest.mark.parametrize("number", range(3))
def test_every_store_does_the_sums_of_the_bucket(store: Store, number: int) -> None:
    random = Random(number)
    rate = random.choice([Rate(7, 60_000, 3), Rate(MOST, 1, 5), Rate(1, 604_800_000, MOST), Rate(333, 1000, 40)])
    store.run(limits.ensure([LimitSeed("github", rate.amount, rate.period, rate.burst)]))
    bucket = full_bucket(rate, store.clock())
    for _ in range(60):
        store.advance(random.choice([0, 1, 17, random.randint(0, 2 * rate.period), -random.randint(0, 5000)]))
        if random.random() < 0.1:
            store.run(limits.drain("github"))
            bucket = type(bucket)(rate, 0, store.clock())
        found, expected = take(store), bucket.filled(store.clock())
        after = expected.taken()
        assert (found.is_taken, found.due_in) == (after is not None, expected.due_in())
        # What is not taken is not written, unless the clock went back.
        bucket = after or (expected if bucket.filled_at > store.clock() else bucket)


def test_a_bucket_that_was_forgotten_for_years_is_full_and_no_fuller(store: Store) -> None:
    store.run(limits.ensure([LimitSeed("github", MOST, 1, MOST)]))
    store.advance(20 * 365 * DAY)
    take(store)
    assert tokens(store) == MOST - 1


def test_a_clock_that_was_set_back_stops_no_limit(store: Store) -> None:
    """E7: an hour back is not an hour without tokens, nor does it give a token twice."""
    seed(store, "1/s", 1)
    take(store)
    store.advance(-HOUR)
    assert take(store) == TakeResult(False, SECOND, 0)
    store.advance(SECOND)
    assert [take(store).is_taken for _ in range(2)] == [True, False]


# The line.


def test_callers_that_wait_are_served_in_the_order_in_which_they_came(store: Store) -> None:
    """C6: fair, and each is told its own turn."""
    seed(store, "1/s", 1)
    take(store)
    assert take(store, "a") == TakeResult(False, SECOND, 0)
    store.advance(1)
    assert take(store, "b") == TakeResult(False, 2 * SECOND - 1, 1)
    assert stored(store).waiting == 2
    store.advance(SECOND - 1)
    assert not take(store, "b").is_taken, "it is the turn of a"
    assert take(store) == TakeResult(False, 2 * SECOND, 2), "one that does not wait comes last"
    assert take(store, "a").is_taken
    assert stored(store).waiting == 1
    store.advance(SECOND)
    assert take(store, "b").is_taken
    assert stored(store).waiting == 0


def test_callers_of_one_millisecond_keep_their_order(store: Store) -> None:
    seed(store, "1/s", 1)
    take(store)
    names = ["c", "a", "b"]
    assert [take(store, name).due_in for name in names] == [SECOND, 2 * SECOND, 3 * SECOND]
    assert [take(store, name).ahead for name in names] == [0, 1, 2]


def test_a_caller_that_gives_up_leaves_the_line(store: Store) -> None:
    seed(store, "1/s", 1)
    take(store)
    for waiter in ("a", "b"):
        take(store, waiter)
        store.advance(1)
    for _ in range(2):
        store.run(limits.leave("github", waiter="a"))
    assert take(store, "b") == TakeResult(False, SECOND - 2, 0)


def test_a_caller_that_does_not_come_holds_up_no_other_for_long(store: Store) -> None:
    """C6: a process that was killed while it waited, or a job that finds no slot because others wait in all of them."""
    seed(store, "1/s", 1)
    take(store)
    take(store, "late")
    store.advance(1)
    take(store, "b")
    store.advance(3 * SECOND - 2)
    assert not take(store, "b").is_taken
    store.advance(1)
    assert take(store, "b").is_taken
    assert stored(store).waiting == 1


def test_a_caller_that_comes_late_has_kept_its_place(store: Store) -> None:
    """C6: it comes before those who came later, and is waited for again."""
    seed(store, "1/s", 1)
    take(store)
    take(store, "late")
    store.advance(3 * SECOND)
    assert take(store).is_taken
    assert take(store, "b") == TakeResult(False, SECOND, 0)
    assert take(store, "late") == TakeResult(False, SECOND, 0)
    assert take(store, "b") == TakeResult(False, 2 * SECOND, 1)


def test_a_caller_that_does_not_come_loses_its_place(store: Store) -> None:
    seed(store, "1/s", 1)
    take(store)
    take(store, "dead")
    store.advance(11 * SECOND)
    take(store)
    assert stored(store).waiting == 0


def test_a_line_of_before_the_clock_went_back_holds_up_none(store: Store) -> None:
    seed(store, "1/s", 1)
    take(store)
    take(store, "dead")
    store.advance(-HOUR)
    assert take(store, "b") == TakeResult(False, SECOND, 0)
    store.advance(SECOND)
    assert take(store, "b").is_taken


def test_those_who_come_after_the_clock_went_back_keep_their_order(store: Store) -> None:
    """E7: also behind a line of before."""
    seed(store, "1/s", 1)
    take(store)
    take(store, "dead")
    store.advance(-HOUR)
    assert take(store, "b") == TakeResult(False, SECOND, 0)
    assert take(store, "a") == TakeResult(False, 2 * SECOND, 1)
    assert take(store, "b") == TakeResult(False, SECOND, 0)


def test_a_line_has_an_end(store: Store) -> None:
    """What grows has a bound: 1,000 places; the others are told to come again."""
    seed(store, "1000/s", 1)
    take(store)
    for number in range(1002):
        take(store, f"w{number:04}")
    assert stored(store).waiting == 1000
    assert take(store, "late").ahead == 1000


def test_each_limit_has_a_line_of_its_own(store: Store) -> None:
    for name in ("a", "b"):
        seed(store, "1/s", 1, name)
        take(store, name=name)
    take(store, "w", "a")
    assert (stored(store, "a").waiting, stored(store, "b").waiting) == (1, 0)
    assert take(store, name="b").ahead == 0


# Setting up.


def test_code_only_seeds(store: Store) -> None:
    """C10: what an operator has changed survives deploys."""
    seed(store, "10/s")
    assert (stored(store).rate, stored(store).changed_by) == (Rate(10, 1000, 10), None)
    seed(store, "20/s")
    assert stored(store).rate == Rate(20, 1000, 20), "a deploy changes what only the code has set"
    store.run(limits.change("github", rate=read_rate("5/s"), burst=None, by="ada"))
    seed(store, "30/s")
    found = stored(store)
    assert (found.rate, found.changed_by, found.changed_at) == (Rate(5, 1000, 20), "ada", store.clock())


def test_an_operator_may_set_up_what_no_code_declares(store: Store) -> None:
    assert store.run(limits.change("github", rate=read_rate("30/min"), burst=None, by="ada"))
    assert (stored(store).rate, tokens(store)) == (Rate(30, 60_000, 1), 1)
    assert store.run(limits.change("github", rate=None, burst=7, by="bob"))
    assert (stored(store).rate, stored(store).changed_by) == (Rate(30, 60_000, 7), "bob")


@pytest.mark.parametrize("set_up", ["seed", "change"])
def test_a_change_keeps_the_whole_tokens_that_fit(store: Store, set_up: str) -> None:
    """A change of the rate must not mint tokens."""
    seed(store, "10/s", 10)
    for _ in range(4):
        take(store)
    store.advance(50)

    def change(rate: str, burst: int) -> None:
        if set_up == "seed":
            seed(store, rate, burst)
        else:
            store.run(limits.change("github", rate=read_rate(rate), burst=burst, by="me"))

    change("30/min", 20)
    assert tokens(store) == 6
    change("30/min", 3)
    assert tokens(store) == 3


def test_the_same_seed_again_changes_nothing(store: Store) -> None:
    seed(store, "1/min", 2)
    take(store)
    store.advance(30 * SECOND)
    before = stored(store)
    seed(store, "1/min", 2)
    assert stored(store) == before
    store.run(limits.ensure([]))


def test_a_drained_bucket_is_empty(store: Store) -> None:
    """C6: after a real 429."""
    seed(store, "1/s", 100)
    assert store.run(limits.drain("github"))
    assert take(store) == TakeResult(False, SECOND, 0)


def test_a_bucket_that_is_drained_after_the_clock_went_back_fills_from_there_on(store: Store) -> None:
    """E7: it does not wait for the clock to come round again, and an hour is an hour, though it was there before."""
    seed(store, "1/min", 2)
    assert [take(store).is_taken for _ in range(2)] == [True, True]
    store.advance(-HOUR)
    assert store.run(limits.drain("github"))
    assert tokens(store) == 0
    store.advance(MINUTE)
    assert tokens(store) == 1
    store.advance(HOUR - MINUTE)
    assert [take(store).is_taken for _ in range(3)] == [True, True, False]


def test_a_limit_that_is_removed_takes_its_line_along(store: Store) -> None:
    seed(store, "1/s", 1)
    take(store)
    take(store, "a")
    assert store.run(limits.remove("github"))
    assert store.run(limits.take("github", waiter="a")) is None
    seed(store, "1/s", 1)
    assert take(store).is_taken


def test_limits_are_listed_by_name(store: Store) -> None:
    for name in ("b", "a", "c"):
        seed(store, "1/s", name=name)
    found, now = store.run(limits.limits())
    assert [limit.name for limit in found] == ["a", "b", "c"]
    assert now == store.clock()


def test_limits_of_the_code_that_nothing_uses_any_more_are_forgotten(store: Store) -> None:
    """Names that a program makes up, such as one for each customer, must not stay for ever."""
    seed(store, "1/min", name="used")
    seed(store, "1/min", name="unused")
    seed(store, "1/d", 30, name="slow")
    for _ in range(30):
        take(store, name="slow")
    store.run(limits.change("set", rate=read_rate("1/min"), burst=None, by="ada"))
    store.advance(7 * DAY)
    take(store, name="used")
    store.advance(MINUTE)
    store.run(tidy_leftovers())
    assert [limit.name for limit in store.run(limits.limits())[0]] == ["set", "slow", "used"]
    store.advance(31 * DAY)
    store.run(tidy_leftovers())
    assert [limit.name for limit in store.run(limits.limits())[0]] == ["set"]


# Many at once.


def test_callers_of_several_processes_share_one_bucket(store: Store) -> None:
    """C6: the bound is one for all processes."""
    others = [store.another() for _ in range(3)]
    seed(store, "1/s", 5)
    assert sum(take(other).is_taken for _ in range(4) for other in others) == 5


@pytest.mark.only_on("sqlite", "postgres", "redis")
def test_the_bound_holds_over_four_processes(store: Store) -> None:
    """C6: in any span never more than rate × time + burst, by the server's clock."""
    rate = Rate(200, 1000, 10)
    with open_store(store.place) as real, ExitStack() as started:
        real.run(limits.ensure([LimitSeed("github", rate.amount, rate.period, rate.burst)]))
        arguments = ("tests.store.token_process", real.place.url, real.place.namespace, "1500")
        processes = [started.enter_context(running(*arguments)) for _ in range(4)]
        for process in processes:
            assert process.line() == "ready"
        for process in processes:
            process.say("go")
        taken = [each.split("-") for process in processes for each in process.line().split()]
    spans = sorted((int(before), int(after)) for before, after in taken)
    assert len(spans) > rate.burst, "more than the first burst"
    for begin in {before for before, _ in spans}:
        inside = sorted(after for before, after in spans if before >= begin)
        for count, end in enumerate(inside, 1):
            # One millisecond more: instants are rounded down.
            assert (count - rate.burst) * rate.period <= rate.amount * (end - begin + 1)


def test_a_change_may_ask_that_there_was_no_other(store: Store) -> None:
    rate = Rate(30, 60_000, 5)
    assert store.run(limits.change("api", rate=rate, burst=None, by="ada", seen=0))
    assert not store.run(limits.change("api", rate=rate, burst=9, by="bob", seen=0))
    assert store.run(limits.change("api", rate=None, burst=7, by="bob", seen=START))
    [found] = store.run(limits.limits("api"))[0]
    assert (found.burst, found.changed_by) == (7, "bob")
