"""close_lease: a clean stop disappears at once."""

from __future__ import annotations

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import leases


def test_lease_and_worker_disappear(store: Store) -> None:
    """A clean stop disappears at once."""
    leaver, stayer = store.a_worker("leaver"), store.a_worker("stayer")
    leaver.close()
    assert [worker.name for worker in store.run(leases.workers())] == ["stayer"]
    assert (leaver.renew().is_open, stayer.renew().is_open) == (False, True)


def test_a_closed_lease_claims_nothing(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job())
    worker.close()
    assert worker.take() == []


def test_a_renewal_that_comes_late_does_not_show_the_worker_again(store: Store) -> None:
    worker = store.a_worker()
    worker.close()
    worker.renew()
    assert store.run(leases.workers()) == []


def test_closing_twice_is_harmless(store: Store) -> None:
    """The second time there is nothing to close: no other worker, lease or job is touched."""
    leaver, stayer = store.a_worker("leaver"), store.a_worker("stayer")
    job = store.claimed(by=stayer)
    leaver.close()
    leaver.close()
    assert [worker.name for worker in store.run(leases.workers())] == ["stayer"]
    assert stayer.renew().held == {(job.seq, job.fence)}
    assert store.rescue() == []


def test_jobs_that_the_lease_still_held_are_free_at_the_next_rescue(store: Store) -> None:
    """A9: nothing is stuck under a lease that is gone."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.close()
    assert store.job(job.id).state is State.RUNNING
    store.rescue()
    assert store.job(job.id).state is State.PENDING
