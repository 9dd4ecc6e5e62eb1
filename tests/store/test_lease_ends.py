"""lease_ends: when the leases of running jobs are over."""

from __future__ import annotations

from tests.store.builders import SECOND, TTL, new_job
from tests.store.stores import Store
from windlass.store.operations import manual_claim
from windlass.store.operations.leases import LeaseEnd, lease_ends


def test_the_lease_of_a_manual_claim_ends_when_it_was_said_to(store: Store) -> None:
    """B27: claim and extend tell until when."""
    job = store.manually_claimed(ttl=10 * SECOND)
    began = store.clock()
    assert store.run(lease_ends([job.seq])) == {job.seq: LeaseEnd(job.seq, job.fence, began + 10 * SECOND)}
    store.advance(4 * SECOND)
    store.run(manual_claim.extend(job.seq, job.fence, ttl=60 * SECOND, worker="me"))
    assert store.run(lease_ends([job.seq]))[job.seq].expires_at == began + 64 * SECOND


def test_the_jobs_of_a_worker_have_its_lease(store: Store) -> None:
    began = store.clock()
    job = store.claimed(new_job("a"))
    assert store.run(lease_ends([job.seq, job.seq + 1000])) == {job.seq: LeaseEnd(job.seq, job.fence, began + TTL)}


def test_what_does_not_run_has_none(store: Store) -> None:
    waiting = store.a_job(new_job("waits", queue="other"))
    ended = store.manually_claimed()
    store.advance(10 * TTL)
    assert [rescued.id for rescued in store.rescue()] == [ended.id]
    assert store.run(lease_ends([waiting.seq, ended.seq])) == {}
    assert store.run(lease_ends([])) == {}
