"""progress: shows how far a run is, under its fence."""

from __future__ import annotations

from tests.store.builders import INTERRUPTED, TTL, raised
from tests.store.stores import Store
from windlass.core.records import Claimed
from windlass.store.operations import jobs


def progress(store: Store, job: Claimed, text: str) -> bool:
    return store.run(jobs.progress(job.seq, job.fence, text, worker="w"))


def test_progress_is_shown_with_the_job(store: Store) -> None:
    """A2: a job tells its progress."""
    job = store.claimed()
    assert progress(store, job, '{"part":0.4}')
    assert progress(store, job, '{"part":0.5}')
    assert store.job(job.id).progress == '{"part":0.5}'


def test_progress_under_an_old_fence_changes_nothing(store: Store) -> None:
    """A7: progress with an old fence tells the caller that the lease is lost."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker().take()
    progress(store, again, '"mine"')
    before = store.job(lost.id)
    assert not progress(store, lost, '"stale"')
    assert store.job(lost.id) == before


def test_progress_of_a_job_that_does_not_run_changes_nothing(store: Store) -> None:
    job = store.claimed()
    store.end(job, INTERRUPTED)
    before = store.job(job.id)
    assert not progress(store, job, '"late"')
    assert store.job(job.id) == before


def test_progress_is_accepted_until_somebody_rescues(store: Store) -> None:
    """E3: time alone does not end a lease."""
    job = store.claimed()
    store.advance(10 * TTL)
    assert progress(store, job, '"late"')


def test_the_last_progress_stays_when_the_run_has_failed(store: Store) -> None:
    job = store.claimed()
    progress(store, job, '"here"')
    store.end(job, raised())
    assert store.job(job.id).progress == '"here"'


def test_progress_of_a_job_that_is_not_there_is_lost(store: Store) -> None:
    assert not store.run(jobs.progress(999, 1, "{}", worker="w"))
