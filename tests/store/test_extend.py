"""extend: more time for one manually claimed job."""

from __future__ import annotations

from tests.store.builders import SECOND, TTL
from tests.store.stores import Store
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import manual_claim


def extend(store: Store, job: Claimed, ttl: int = TTL) -> bool:
    return store.run(manual_claim.extend(job.seq, job.fence, ttl=ttl, worker="me"))


def test_an_extended_job_is_held_for_the_new_time_from_now(store: Store) -> None:
    """D1: extend."""
    job = store.manually_claimed(ttl=10 * SECOND)
    store.advance(9 * SECOND)
    assert extend(store, job, 60 * SECOND)
    store.advance(60 * SECOND - 1)
    assert store.rescue() == []
    store.advance(1)
    assert [rescued.id for rescued in store.rescue()] == [job.id]


def test_a_lease_may_be_made_shorter(store: Store) -> None:
    job = store.manually_claimed(ttl=60 * SECOND)
    assert extend(store, job, SECOND)
    store.advance(SECOND)
    assert [rescued.id for rescued in store.rescue()] == [job.id]


def test_an_overdue_lease_may_be_extended_until_somebody_rescues(store: Store) -> None:
    """E3: time alone does not end it."""
    job = store.manually_claimed()
    store.advance(10 * TTL)
    assert extend(store, job)
    assert store.rescue() == []


def test_a_lost_lease_is_not_extended(store: Store) -> None:
    """A7: extend with an old fence tells that the lease is lost."""
    job = store.manually_claimed()
    store.advance(TTL)
    store.rescue()
    before = store.job(job.id)
    assert not extend(store, job)
    assert store.job(job.id) == before


def test_a_job_that_has_ended_is_not_extended(store: Store) -> None:
    job = store.manually_claimed()
    store.end(job)
    assert not extend(store, job)


def test_the_lease_of_a_worker_is_not_extended_by_one_of_its_jobs(store: Store) -> None:
    job = store.claimed()
    assert not extend(store, job, 100 * TTL)
    store.advance(TTL)
    store.rescue()
    assert store.job(job.id).state is State.PENDING
