"""reschedule: moves a job that waits to another time."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import HOUR, SECOND, ids
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.state import State, Verb, allowed_from
from windlass.store.operations import jobs

MOVABLE = sorted(allowed_from(Verb.RESCHEDULE))


@pytest.mark.parametrize("state", MOVABLE)
def test_a_delay_counts_from_the_stores_now(store: Store, state: State) -> None:
    """B12: moved before it is due."""
    job = a_job_in(store, state)
    store.advance(SECOND)
    assert store.run(jobs.reschedule(job.seq, delay=2 * HOUR))
    found = store.job(job.id)
    assert (found.state, found.run_at) == (State.SCHEDULED, store.clock() + 2 * HOUR)


@pytest.mark.parametrize("state", MOVABLE)
def test_an_instant_is_taken_as_it_is(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert store.run(jobs.reschedule(job.seq, at=START + HOUR))
    assert store.job(job.id).run_at == START + HOUR


@pytest.mark.parametrize("moved", [{"delay": 0}, {"at": START - HOUR}, {"at": START}])
def test_a_time_that_is_not_ahead_means_now(store: Store, moved: dict[str, int]) -> None:
    """B12: a past instant runs now."""
    job = a_job_in(store, State.SCHEDULED)
    assert store.run(jobs.reschedule(job.seq, **moved))
    found = store.job(job.id)
    assert (found.state, found.run_at) == (State.PENDING, START)
    assert ids(store.a_worker().take(queue=job.queue)) == [job.id]


def test_a_pending_job_that_is_put_off_is_not_taken(store: Store) -> None:
    job = a_job_in(store, State.PENDING)
    store.run(jobs.reschedule(job.seq, delay=1))
    assert store.a_worker().take(queue=job.queue) == []
    store.advance(1)
    store.run(jobs.promote())
    assert ids(store.a_worker().take(queue=job.queue)) == [job.id]


def test_attempts_and_errors_stay(store: Store) -> None:
    job = a_job_in(store, State.RETRYING)
    store.run(jobs.reschedule(job.seq, delay=0))
    found = store.job(job.id)
    assert (found.attempt, found.errors) == (job.attempt, job.errors)


@pytest.mark.parametrize("state", sorted(set(State) - set(MOVABLE)))
def test_a_job_that_does_not_wait_stays_as_it_is(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert not store.run(jobs.reschedule(job.seq, delay=HOUR))
    assert store.job(job.id) == job


def test_a_job_that_is_not_there_is_not_moved(store: Store) -> None:
    assert not store.run(jobs.reschedule(4711, delay=1))
