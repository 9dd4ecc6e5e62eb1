"""count_failures: from so many failures of one cause in a window on, a task cools down."""

from __future__ import annotations

from tests.store.builders import DAY, MINUTE, SECOND, fresh, new_job
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.rates.cooldown import Cooldown
from windlass.store.operations.rates import cooldowns
from windlass.store.operations.rates.cooldowns import CooldownRecord, Scope, cool_down, end_cooldown
from windlass.store.operations.rates.trips import SLICES, Failures, Tripped, count_failures
from windlass.store.operations.upkeep.tidy import tidy_leftovers


def failures(number: int, *, task: str = "pay", cause: str = "abc", most: int = 5) -> Failures:
    return Failures(task, cause, number, most, MINUTE, 5 * MINUTE, "01J", "tripped: the bank is away")


def fail(store: Store, number: int, *, task: str = "pay", cause: str = "abc", most: int = 5) -> bool:
    """Whether the task trips by these."""
    return bool(store.run(count_failures([failures(number, task=task, cause=cause, most=most)])))


def cooling(store: Store) -> list[CooldownRecord]:
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return store.run(cooldowns.cooldowns())


def test_a_task_trips_at_so_many_failures_of_one_cause(store: Store) -> None:
    """F7: it cools down, with the cause as the reason, and workers are told."""
    assert not fail(store, 3)
    store.advance(10 * SECOND)
    assert not fail(store, 1)
    assert store.run(count_failures([failures(1)])) == [Tripped("pay", "abc", 5 * MINUTE)]
    now = store.clock()
    assert cooling(store) == [
        CooldownRecord(Scope.TASK, "pay", now, now + 5 * MINUTE, "01J", "tripped: the bank is away")
    ]
    assert store.a_worker().control().cooling_tasks == {"pay": 5 * MINUTE}


def test_other_causes_and_other_tasks_count_for_themselves(store: Store) -> None:
    """F7."""
    assert not fail(store, 4)
    assert not fail(store, 4, cause="def")
    assert not fail(store, 4, task="mail")
    assert cooling(store) == []
    both = store.run(count_failures([failures(1, cause="def"), failures(1), failures(1, task="mail")]))
    assert sorted(each.task for each in both) == ["mail", "pay"], "one cause is enough"


def test_what_the_window_has_left_behind_does_not_count(store: Store) -> None:
    """F7."""
    assert not fail(store, 4)
    store.advance(MINUTE + MINUTE // SLICES)
    assert not fail(store, 4)
    assert fail(store, 1)


def test_what_fails_while_it_cools_down_is_not_counted(store: Store) -> None:
    """F7: it is over at its time, whatever still fails."""
    assert fail(store, 5)
    store.advance(4 * MINUTE)
    assert not fail(store, 50)
    [one] = cooling(store)
    assert one.ends_at == store.clock() + MINUTE


def test_the_cause_that_has_tripped_it_trips_it_again_at_once(store: Store) -> None:
    """F7: one failure is enough to know that nothing has changed; of another cause it takes as many as ever."""
    assert fail(store, 5)
    store.advance(5 * MINUTE)
    assert not fail(store, 4, cause="def")
    assert fail(store, 1)
    store.advance(6 * MINUTE)
    assert not fail(store, 4), "it has been well for a whole window"
    assert fail(store, 1)


def test_one_that_was_resumed_begins_anew(store: Store) -> None:
    """F7: by hand."""
    assert fail(store, 5)
    assert store.run(end_cooldown(Scope.TASK, "pay"))
    store.advance(2 * MINUTE)
    assert not fail(store, 4)
    assert fail(store, 1)


def test_a_throttled_task_is_not_tripped_too(store: Store) -> None:
    run = store.claimed(new_job(queue=fresh("own")), by=store.a_worker(ttl=10 * DAY))
    store.run(cool_down(Scope.TASK, "pay", run, rule=Cooldown(), chosen=SECOND, reason="429"))
    assert not fail(store, 50)
    [one] = cooling(store)
    assert one.reason == "429"


def test_counts_are_bounded_and_removed(store: Store) -> None:
    """F7: a task that fails in ever new ways trips nothing by that."""
    for first in range(0, 1200, 100):
        store.run(count_failures([failures(1, cause=f"c{first + number}") for number in range(100)]))
    assert not fail(store, 50, cause="late")
    assert fail(store, 4, cause="c5")
    store.advance(2 * DAY)
    store.run(tidy_leftovers())
    store.advance(-2 * DAY + 6 * MINUTE)
    assert not fail(store, 4, cause="c6")
