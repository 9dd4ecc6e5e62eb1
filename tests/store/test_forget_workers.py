"""forget_workers: lost workers disappear from the lists, and nothing else does."""

from __future__ import annotations

import pytest

from tests.store.builders import TTL
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import leases


def names(store: Store) -> list[str]:
    return [worker.name for worker in store.run(leases.workers())]


@pytest.mark.parametrize("by_name", [False, True])
def test_a_lost_worker_is_forgotten(store: Store, by_name: bool) -> None:
    lost, other = store.a_worker("w1"), store.a_worker("w2")
    store.advance(TTL)
    assert store.run(leases.forget_workers(lost.name if by_name else lost.id)) == [lost.id]
    assert names(store) == [other.name]
    assert store.run(leases.forget_workers(lost.id)) == [], "asked twice is asked once"


def test_all_lost_workers_are_forgotten_at_once(store: Store) -> None:
    lost = {store.a_worker("w1").id, store.a_worker("w2").id}
    store.advance(TTL)
    store.a_worker("w3")
    assert set(store.run(leases.forget_workers(None))) == lost
    assert names(store) == ["w3"]


def test_a_worker_that_lives_is_not_forgotten(store: Store) -> None:
    """Not even when a lost one has its name."""
    worker = store.a_worker("w1")
    store.advance(TTL)
    new = leases.WorkerReport("another-id", "w1", "idle", "{}")
    store.run(leases.open_lease(new, lease="another-lease", ttl=TTL))
    assert store.run(leases.forget_workers("w1")) == [worker.id]
    assert store.run(leases.forget_workers("w1")) == []
    assert store.run(leases.forget_workers("another-id")) == []
    assert [found.id for found in store.run(leases.workers())] == ["another-id"]


def test_its_jobs_are_rescued_all_the_same(store: Store) -> None:
    """A9: under the fence, as those of any lost worker."""
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.run(leases.forget_workers("w1"))
    assert [rescued.id for rescued in store.rescue()] == [job.id]
    assert (store.job(job.id).state, store.job(job.id).fence > job.fence) == (State.PENDING, True)
    assert store.end(job) == {job.seq}, "the former owner's ending is refused"


def test_one_that_lives_after_all_shows_again_and_keeps_its_jobs(store: Store) -> None:
    """Time alone does not end a lease: whoever was only late goes on where it was."""
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    store.advance(TTL)
    store.run(leases.forget_workers("w1"))
    assert worker.renew().held == {(job.seq, job.fence)}
    assert names(store) == ["w1"]
    assert not worker.end(job)


def test_one_whose_jobs_were_rescued_shows_again_under_another_lease(store: Store) -> None:
    worker = store.a_worker("w1")
    store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    store.run(leases.forget_workers("w1"))
    assert not worker.renew().is_open
    assert names(store) == []
    store.a_worker("w1")
    assert names(store) == ["w1"]
