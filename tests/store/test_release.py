"""release: hands a job back at once, uncharged."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import INTERRUPTED, SECOND, new_job, raised
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import jobs


def test_a_released_job_is_pending_and_uncharged(store: Store) -> None:
    """B7: handed back without charging an attempt."""
    job = store.claimed()
    store.advance(SECOND)
    assert not store.end(job, INTERRUPTED)
    found = store.job(job.id)
    assert (found.state, found.attempt, found.lease, found.run_at) == (State.PENDING, 0, None, START)
    assert (found.finished_at, found.result, found.errors) == (None, None, None)


def test_a_release_keeps_earlier_attempts_and_errors(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.end(job, raised(delay=0))
    before = store.job(job.id)
    store.run(jobs.promote())
    [job] = worker.take()
    worker.end(job, INTERRUPTED)
    found = store.job(job.id)
    assert (found.state, found.attempt, found.errors) == (State.PENDING, 1, before.errors)


def test_a_release_refunds_a_job_that_was_claimed_by_hand(store: Store) -> None:
    """D2: manually claimed jobs are charged at the claim; release refunds."""
    job = store.manually_claimed()
    assert store.job(job.id).attempt == 1
    assert not store.end(job, INTERRUPTED)
    found = store.job(job.id)
    assert (found.state, found.attempt) == (State.PENDING, 0)


def test_a_release_that_is_repeated_refunds_once(store: Store) -> None:
    """D2: after a lost answer."""
    job = store.manually_claimed()
    store.end(job, INTERRUPTED)
    assert not store.end(job, INTERRUPTED)
    assert store.job(job.id).attempt == 0


def test_a_released_job_may_be_taken_at_once(store: Store) -> None:
    job = store.claimed()
    store.end(job, INTERRUPTED)
    [again] = store.a_worker().take()
    assert (again.id, again.fence > job.fence) == (job.id, True)


def test_a_release_under_an_old_fence_is_refused(store: Store) -> None:
    """A7: release with an old fence changes nothing."""
    job = store.claimed()
    store.end(job, INTERRUPTED)
    store.a_worker().take()
    before = store.job(job.id)
    assert set(store.end(job, INTERRUPTED)) == {job.seq}
    assert store.job(job.id) == before


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_release_of_a_job_that_shall_be_cancelled_cancels_it(store: Store, by_hand: bool) -> None:
    """D3, A4: claimed but not started is cancelled at once when its owner gives way."""
    job = store.manually_claimed(new_job()) if by_hand else store.claimed()
    store.run(jobs.cancel([job.seq], by="me"))
    store.end(job, INTERRUPTED)
    found = store.job(job.id)
    assert (found.state, found.attempt, found.finished_at) == (State.CANCELLED, 0, START)
