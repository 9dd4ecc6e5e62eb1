"""cooldowns: what was throttled rests, for everyone, a while longer each time."""

from __future__ import annotations

import pytest

from tests.store.builders import DAY, HOUR, MINUTE, SECOND, TTL, fresh, new_job
from tests.store.stores import Store
from windlass.core.rates.cooldown import Cooldown, next_step
from windlass.core.rates.rate import read_rate
from windlass.core.records import Claimed
from windlass.store.operations.rates import cooldowns, limits
from windlass.store.operations.rates.cooldowns import CooldownRecord, Cooling, Scope
from windlass.store.operations.upkeep.tidy import tidy_leftovers


def a_run(store: Store) -> Claimed:
    """A run of a queue of its own."""
    return store.claimed(new_job(queue=fresh("own")), by=store.a_worker(ttl=10 * DAY))


def throttle(
    store: Store, job: Claimed | None = None, *, chosen: int | None = None, rule: Cooldown | None = None,
    scope: Scope = Scope.QUEUE, name: str = "mail",
) -> Cooling | None:  # fmt: skip
    return store.run(
        cooldowns.cool_down(
            scope, name, job or a_run(store), rule=rule or Cooldown(), chosen=chosen, reason="429 from the upstream"
        )
    )


def left(store: Store, *, chosen: int | None = None, rule: Cooldown | None = None) -> int:
    found = throttle(store, chosen=chosen, rule=rule)
    assert found is not None
    return found.left


def test_a_cool_down_is_there_with_its_reason_and_its_end(store: Store) -> None:
    """C7: visible."""
    job = a_run(store)
    assert throttle(store, job) == Cooling(MINUTE, True, True)
    now = store.clock()
    assert store.run(cooldowns.cooldowns()) == [
        CooldownRecord(Scope.QUEUE, "mail", now, now + MINUTE, job.id, "429 from the upstream")
    ]
    store.advance(MINUTE)
    assert store.run(cooldowns.cooldowns()) == []


def test_those_of_one_task_and_of_its_keys(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """C7: however many others there are."""
    others = [(Scope.QUEUE, "call"), (Scope.TASK, "a"), (Scope.TASK, "callback"), (Scope.TASK, "callback\tada")]
    own = [(Scope.TASK, name) for name in ("call", "call\t%", "call\tada", "call\tbob's \\t")]
    for scope, name in [*others, *own]:
        throttle(store, scope=scope, name=name)
    monkeypatch.setattr(cooldowns, "AT_MOST", 2)
    found = store.run(cooldowns.cooldowns(task="call"))
    assert len(found) == 2
    assert {(each.scope, each.name) for each in found} <= set(own)
    assert store.run(cooldowns.end_cooldowns_of("call")) == 4
    assert store.run(cooldowns.end_cooldowns_of("call")) == 0
    monkeypatch.setattr(cooldowns, "AT_MOST", 1000)
    assert [(each.scope, each.name) for each in store.run(cooldowns.cooldowns())] == others


def test_it_doubles_up_to_half_an_hour(store: Store) -> None:
    """C7: 60 s doubling to 30 min."""
    found = []
    for _ in range(7):
        found.append(left(store) // MINUTE)
        store.advance(30 * MINUTE if found[-1] == 30 else found[-1] * MINUTE)
    assert found == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize("quiet", [0, 2 * MINUTE - 1, 2 * MINUTE, 5 * MINUTE, HOUR, 300 * DAY])
def test_it_decays_as_the_core_says(store: Store, quiet: int) -> None:
    """C7: decaying after two quiet minutes."""
    last = 0
    for _ in range(4):
        last = left(store)
        store.advance(last)
    store.advance(quiet)
    assert left(store) == next_step(last, quiet=quiet, base=MINUTE, most=30 * MINUTE)


def test_runs_that_are_throttled_together_cool_down_once(store: Store) -> None:
    """Ten runs that meet the same trouble must not double it ten times."""
    throttle(store)
    store.advance(SECOND)
    assert throttle(store) == Cooling(MINUTE - SECOND, False, True)
    store.advance(MINUTE - SECOND)
    assert left(store) == 2 * MINUTE


def test_a_repeat_changes_nothing(store: Store) -> None:
    """A lost reply, also one whose repeat comes after the end."""
    job = a_run(store)
    assert throttle(store, job) == throttle(store, job)
    store.advance(2 * MINUTE)
    assert throttle(store, job) == Cooling(0, True, True)


def test_a_run_that_lost_its_job_cools_nothing_down(store: Store) -> None:
    """The fence holds here too."""
    job = store.claimed(new_job(queue="own"))
    store.advance(TTL)
    store.rescue()
    assert throttle(store, job) is None
    assert store.run(cooldowns.cooldowns()) == []
    throttle(store)
    assert throttle(store, job) is None


def test_a_task_may_choose_the_length(store: Store) -> None:
    """C7: as long as ``retry_after`` says; what was doubled before stays as it was."""
    assert left(store) == MINUTE
    assert left(store, chosen=90 * SECOND) == 90 * SECOND, "the later end counts"
    assert left(store, chosen=5 * SECOND) == 90 * SECOND
    store.advance(90 * SECOND)
    assert left(store, chosen=5 * SECOND) == 5 * SECOND
    store.advance(5 * SECOND)
    assert left(store) == 2 * MINUTE


def test_the_first_after_a_chosen_one_is_a_first_one(store: Store) -> None:
    left(store, chosen=10 * SECOND)
    store.advance(10 * SECOND)
    assert left(store) == MINUTE


def test_a_rule_sets_the_bounds(store: Store) -> None:
    rule, found = Cooldown(base=10, max=25), []
    for _ in range(3):
        found.append(left(store, rule=rule))
        store.advance(found[-1])
    assert found == [10 * SECOND, 20 * SECOND, 25 * SECOND]
    assert left(store, rule=Cooldown(enabled=False)) == MINUTE


@pytest.mark.parametrize("scope", Scope)
def test_each_thing_cools_down_by_itself(store: Store, scope: Scope) -> None:
    throttle(store, scope=scope)
    assert throttle(store, scope=scope, name="other", chosen=HOUR, rule=Cooldown()) is not None
    assert [(each.scope, each.name) for each in store.run(cooldowns.cooldowns())] == [(scope, "mail"), (scope, "other")]


def test_an_operator_may_end_it(store: Store) -> None:
    throttle(store)
    assert store.run(cooldowns.end_cooldown(Scope.QUEUE, "mail"))
    assert store.run(cooldowns.cooldowns()) == []
    assert not store.run(cooldowns.end_cooldown(Scope.QUEUE, "mail"))
    assert left(store) == MINUTE


def test_a_clock_that_was_set_back_makes_no_cool_down_longer(store: Store) -> None:
    """E7."""
    throttle(store)
    store.advance(-HOUR)
    assert store.run(cooldowns.cooldowns()) == []
    assert left(store) == 2 * MINUTE


def test_old_cool_downs_are_forgotten(store: Store) -> None:
    throttle(store)
    store.advance(MINUTE + DAY + 1)
    store.run(tidy_leftovers())
    assert not store.run(cooldowns.end_cooldown(Scope.QUEUE, "mail"))
    throttle(store)
    store.advance(MINUTE)
    store.run(tidy_leftovers())
    assert left(store) == 2 * MINUTE, "one that is just over is still known"


def test_workers_are_told_which_tasks_cool_down(store: Store) -> None:
    """C7: every second, with what they ask anyway."""
    worker = store.a_worker(ttl=DAY)
    for scope in Scope:
        throttle(store, scope=scope, name="call")
    store.advance(SECOND)
    assert worker.control().cooling_tasks == {"call": MINUTE - SECOND}
    store.advance(MINUTE - SECOND)
    assert worker.control().cooling_tasks == {}


# What a limit does while it cools down.


def test_a_limit_that_cools_down_gives_no_tokens(store: Store) -> None:
    """C7: ``Throttled(limit=...)`` stops all who use the limit."""
    store.run(limits.change("github", rate=read_rate("1/s"), burst=2, by="me"))
    assert throttle(store, scope=Scope.LIMIT, name="github", chosen=10 * SECOND) == Cooling(10 * SECOND, True, True)
    due = []
    for waiter in "abcd":
        found = store.run(limits.take("github", waiter=waiter))
        assert found is not None
        due.append((found.is_taken, found.due_in))
    assert due == [(False, 10 * SECOND), (False, 10 * SECOND), (False, 11 * SECOND), (False, 12 * SECOND)]
    store.advance(10 * SECOND)
    taken = [store.run(limits.take("github", waiter=waiter)) for waiter in "abcd"]
    assert [each.is_taken for each in taken if each is not None] == [True, True, False, False]


def test_a_limit_that_does_not_exist_is_named(store: Store) -> None:
    assert throttle(store, scope=Scope.LIMIT, name="gitbuh") == Cooling(MINUTE, True, False)


def test_a_limit_that_is_removed_takes_its_cool_down_along(store: Store) -> None:
    store.run(limits.change("github", rate=read_rate("1/s"), burst=2, by="me"))
    throttle(store, scope=Scope.LIMIT, name="github")
    store.run(limits.remove("github"))
    assert store.run(cooldowns.cooldowns()) == []
