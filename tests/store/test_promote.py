"""promote: makes due jobs pending."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, ids, new_job, raised
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import jobs, queries


def test_a_job_is_due_at_its_time_and_not_before(store: Store) -> None:
    """B12: invisible until due."""
    store.enqueue(new_job("a", delay=SECOND))
    store.advance(SECOND - 1)
    assert store.run(jobs.promote()) == 0
    assert store.job("a").state is State.SCHEDULED
    store.advance(1)
    assert store.run(jobs.promote()) == 1
    found = store.job("a")
    assert (found.state, found.run_at, found.promoted_at) == (State.PENDING, START + SECOND, START + SECOND)


def test_a_job_for_an_instant_is_due_at_that_instant(store: Store) -> None:
    """B12: at."""
    store.enqueue(new_job("a", at=START + SECOND))
    store.advance(SECOND)
    assert store.run(jobs.promote()) == 1


def test_a_failed_attempt_is_due_after_its_delay(store: Store) -> None:
    """A10: backoff."""
    job = store.finished(raised(delay=SECOND))
    store.advance(SECOND)
    assert store.run(jobs.promote()) == 1
    found = store.job(job.id)
    assert (found.state, found.attempt, found.errors) == (State.PENDING, 1, job.errors)


def test_a_second_call_finds_nothing(store: Store) -> None:
    """C14: idempotent, returns what it did."""
    store.enqueue(new_job(delay=1), new_job(delay=1))
    store.advance(1)
    assert (store.run(jobs.promote()), store.run(jobs.promote())) == (2, 0)


def test_only_what_is_due_is_promoted(store: Store) -> None:
    store.enqueue(*(new_job(f"{delay}", delay=delay) for delay in (3, 1, 2)))
    store.advance(2)
    assert store.run(jobs.promote()) == 2
    assert [store.job(id).state for id in "123"] == [State.PENDING, State.PENDING, State.SCHEDULED]


def test_promoted_jobs_are_claimed_by_priority_and_time(store: Store) -> None:
    """B3: they line up by the time at which they were due."""
    store.enqueue(new_job("a", delay=3), new_job("b", delay=1), new_job("c", delay=2, priority=1))
    store.advance(3)
    store.run(jobs.promote())
    assert ids(store.a_worker().take()) == ["c", "b", "a"]


@pytest.mark.parametrize("count", [9, 10, 11, 25])
def test_all_pages_are_promoted(store: Store, count: int) -> None:
    store.enqueue(*(new_job(delay=1) for _ in range(count)))
    store.advance(1)
    assert store.run(jobs.promote(10)) == count
    assert store.run(queries.counts()) == {"default": {State.PENDING: count}}


def test_a_clock_that_was_set_back_makes_jobs_wait_not_run_twice(store: Store) -> None:
    store.enqueue(new_job("a", delay=SECOND))
    store.advance(SECOND)
    store.run(jobs.promote())
    store.advance(-2 * SECOND)
    assert store.run(jobs.promote()) == 0
    assert store.job("a").state is State.PENDING
