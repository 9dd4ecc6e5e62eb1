"""Events that jobs wait for: none is lost, whenever it comes."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, INTERRUPTED, MINUTE, SECOND, TTL, new_job, raised
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.outcome import Postponed
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.steps.sent_events import (
    SentEvent,
    Wait,
    WaitOutcome,
    await_event,
    deliver_events,
    import_sent,
    send_event,
    sent_events,
)
from windlass.store.operations.steps.steps import StepRecord, import_steps, steps_of
from windlass.store.operations.upkeep.tidy import tidy_leftovers

WEEK = 7 * DAY


def wait(store: Store, job: Claimed, event: str = "yes", *, timeout: int | None = HOUR) -> WaitOutcome | None:
    return store.run(await_event(job.seq, job.fence, Wait("#1", 1, event, timeout), worker="w"))


def suspend(store: Store, job: Claimed, delay: int = HOUR) -> None:
    assert not store.end(job, Postponed(delay, "event"))


def waiting(store: Store, id: str = "a", event: str = "yes", *, timeout: int | None = HOUR) -> Claimed:
    """A job that waits for an event, after its run has ended."""
    job = store.claimed(new_job(id))
    outcome = wait(store, job, event, timeout=timeout)
    assert outcome is not None
    assert not outcome.is_over
    suspend(store, job)
    return job


def send(store: Store, event: str = "yes", value: str | None = '"ja"') -> None:
    store.run(send_event(event, value))


def deliver(store: Store) -> int:
    woken = store.run(deliver_events())
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return woken


def again(store: Store) -> Claimed:
    [job] = store.a_worker().take()
    return job


def test_an_event_that_came_before_the_wait_is_there_at_once(store: Store) -> None:
    send(store)
    job = store.claimed()
    assert wait(store, job) == WaitOutcome("event", True, HOUR, '"ja"')
    [step] = store.run(steps_of(job.seq, results=True))
    assert step == StepRecord("#1", 1, "event", job.fence, START, START, START + HOUR, "yes", '"ja"')


def test_an_event_wakes_the_job_that_waits_for_it(store: Store) -> None:
    """F4: at once, and no other."""
    waiting(store, "a")
    waiting(store, "b", "other")
    assert deliver(store) == 0
    send(store)
    assert (deliver(store), deliver(store)) == (1, 0)
    assert (store.job("a").state, store.job("b").state) == (State.PENDING, State.SCHEDULED)
    job = again(store)
    assert wait(store, job) == WaitOutcome("event", True, HOUR, '"ja"')
    assert (job.id, job.attempt) == ("a", 0)


def test_an_event_that_comes_before_the_run_has_ended_is_not_lost(store: Store) -> None:
    """F4: between the look and the sleep."""
    job = store.claimed(new_job("a"))
    wait(store, job)
    send(store)
    assert deliver(store) == 0
    assert store.run(queries.next_due()).has_events
    suspend(store, job)
    assert deliver(store) == 1
    assert store.job("a").state is State.PENDING
    assert not store.run(queries.next_due()).has_events


def test_a_wait_whose_run_is_rescued_is_not_lost(store: Store) -> None:
    job = store.claimed(new_job("a"))
    wait(store, job)
    send(store)
    deliver(store)
    store.advance(TTL)
    store.rescue()
    outcome = wait(store, again(store))
    assert outcome is not None
    assert (outcome.is_over, outcome.value) == (True, '"ja"')
    assert deliver(store) == 0


def test_an_event_goes_to_all_and_the_newest_counts(store: Store) -> None:
    """F4: also to those that come later."""
    for id in "abc":
        waiting(store, id)
    for value in ('"first"', None, '"last"'):
        send(store, value=value)
        store.advance(1)
    assert deliver(store) == 3
    found = [wait(store, job) for job in store.a_worker().take()]
    late = wait(store, store.claimed())
    assert [outcome and outcome.value for outcome in [*found, late]] == ['"last"'] * 4


def test_a_value_may_be_nothing(store: Store) -> None:
    waiting(store)
    send(store, value=None)
    assert deliver(store) == 1
    assert wait(store, again(store)) == WaitOutcome("event", True, HOUR, None)


def test_a_wait_has_a_time_limit(store: Store) -> None:
    """F4: what has come of it stays so, whatever comes later."""
    waiting(store)
    store.advance(HOUR)
    assert store.run(jobs.promote()) == 1
    job = again(store)
    assert wait(store, job) == WaitOutcome("timeout", True, 0, None)
    send(store)
    store.advance(SECOND)
    assert wait(store, job) == WaitOutcome("timeout", True, -SECOND, None)
    suspend(store, job)
    assert deliver(store) == 0


def test_no_time_at_all_is_a_look(store: Store) -> None:
    assert wait(store, store.claimed(), timeout=0) == WaitOutcome("timeout", True, 0, None)
    send(store)
    assert wait(store, store.claimed(), timeout=0) == WaitOutcome("event", True, 0, '"ja"')


def test_without_a_limit_it_waits_for_as_long_as_it_takes(store: Store) -> None:
    job = waiting(store, timeout=None)
    store.advance(365 * DAY)
    store.run(jobs.retry([job.seq], by="me"))
    job = again(store)
    assert wait(store, job, timeout=None) == WaitOutcome("event", False, None, None)
    suspend(store, job)
    send(store)
    assert deliver(store) == 1


def test_a_run_that_comes_to_the_wait_again_waits_on(store: Store) -> None:
    """Its time limit goes on, too."""
    job = waiting(store)
    store.advance(MINUTE)
    store.run(jobs.retry([job.seq], by="me"))
    job = again(store)
    assert wait(store, job) == WaitOutcome("event", False, HOUR - MINUTE, None)
    send(store)
    assert deliver(store) == 0
    suspend(store, job)
    assert deliver(store) == 1


def test_an_event_counts_for_a_week(store: Store) -> None:
    """Before the wait begins; for one that has begun it counts however late the job runs."""
    send(store)
    store.advance(WEEK - 1)
    early = store.claimed(new_job("early"))
    assert wait(store, early) == WaitOutcome("event", True, HOUR, '"ja"')
    store.advance(1)
    late = store.claimed(new_job("late"))
    outcome = wait(store, late)
    assert outcome is not None
    assert not outcome.is_over
    suspend(store, late, delay=9 * WEEK)
    send(store)
    store.advance(2 * WEEK)
    while store.run(tidy_leftovers()):
        pass
    assert deliver(store) == 1
    outcome = wait(store, again(store))
    assert outcome is not None
    assert outcome.value == '"ja"'


def test_events_that_are_waited_for_by_none_are_removed_after_a_week(store: Store) -> None:
    for number in range(3):
        send(store, f"{number}")
    deliver(store)
    store.advance(WEEK + 1)
    store.run(tidy_leftovers())
    store.advance(-WEEK - 1)  # a week ago it would count
    outcome = wait(store, store.claimed(), "1")
    assert outcome is not None
    assert not outcome.is_over


def test_a_zombie_waits_for_nothing(store: Store) -> None:
    """F4: under an old fence nothing is recorded."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    assert wait(store, lost) is None
    assert (store.run(steps_of(lost.seq)), store.kinds(lost.seq)[-1]) == ([], "refused")


@pytest.mark.parametrize("way", ["cancelled", "deleted", "retrying"])
def test_what_does_not_wait_any_more_is_not_woken(store: Store, way: str) -> None:
    job = waiting(store)
    match way:
        case "cancelled":
            store.run(jobs.cancel([job.seq], by="me"))
        case "deleted":
            store.run(jobs.delete([(job.seq, job.id)]))
        case _:
            store.run(jobs.retry([job.seq], by="me"))
            store.end(again(store), raised(delay=HOUR))
    send(store)
    assert deliver(store) == 0
    assert not store.run(queries.next_due()).has_events


def test_a_job_that_was_released_waits_no_more(store: Store) -> None:
    """Its next run looks for the event."""
    job = store.claimed(new_job("a"))
    wait(store, job)
    store.end(job, INTERRUPTED)
    send(store)
    assert deliver(store) == 0
    outcome = wait(store, again(store))
    assert outcome is not None
    assert outcome.value == '"ja"'


def test_many_wait_for_one(store: Store) -> None:
    """More than are woken at once."""
    store.enqueue(*(new_job() for _ in range(25)))
    for job in store.a_worker().take():
        wait(store, job)
        suspend(store, job)
    send(store)
    assert store.run(deliver_events(limit=10)) == 25


def test_a_recorded_event_gives_the_budget_of_attempts_anew(store: Store) -> None:
    job = store.claimed(new_job(attempts=3))
    store.end(job, raised(delay=0))
    store.run(jobs.promote())
    job = again(store)
    assert job.attempt == 1
    wait(store, job)
    suspend(store, job)
    assert store.job(job.id).attempt == 0


def test_another_store_takes_events_over(store: Store) -> None:
    for number in range(20):
        send(store, f"event {number:02}", None if number == 7 else f'"{number}"')
    deliver(store)
    found = store.run(sent_events(0))
    rest = store.run(sent_events(len(found)))
    assert store.run(sent_events(20)) == []
    assert sorted(found + rest, key=lambda event: event.name) == [
        SentEvent(f"event {number:02}", START, None if number == 7 else f'"{number}"') for number in range(20)
    ]
    store.advance(MINUTE)
    waiting(store, "a", "new")
    news = [SentEvent("new", START, "1"), SentEvent("event 01", START, '"old"'), SentEvent("event 02", START + 1, "2")]
    for _ in range(2):
        store.run(import_sent(news))
    assert deliver(store) == 1
    assert again(store).id == "a"
    assert [wait(store, store.claimed(), f"event 0{number}").value for number in (1, 2)] == ['"1"', "2"]  # type: ignore[union-attr]


def test_a_wait_that_came_from_another_store_is_looked_at(store: Store) -> None:
    send(store)
    deliver(store)
    store.enqueue(new_job("a"))
    job = again(store)
    suspend(store, job)
    store.run(import_steps("a", [StepRecord("#1", 1, "event", job.fence, START, None, None, "yes")]))
    assert deliver(store) == 1
