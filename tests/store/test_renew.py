"""renew: prolongs a lease and tells what it holds."""

from __future__ import annotations

from tests.store.builders import TTL, ids, new_job
from tests.store.stores import Store, Worker
from windlass.store.operations.leases import Renewed


def test_a_renewed_lease_is_in_time_from_now_on(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    store.advance(TTL - 1)
    worker.renew()
    store.advance(TTL - 1)
    assert ids(worker.take()) == ["a"]


def test_a_worker_alone_hears_of_nothing(store: Store) -> None:
    assert store.a_worker().renew() == Renewed(True, frozenset())


def test_it_tells_which_jobs_the_lease_still_holds(store: Store) -> None:
    """E2: a worker that lost one job learns which within one heartbeat."""
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    [first, second] = worker.take()
    assert worker.renew().held == {(first.seq, first.fence), (second.seq, second.fence)}
    worker.end(first)
    assert worker.renew().held == {(second.seq, second.fence)}


def test_it_tells_nothing_of_the_jobs_of_others(store: Store) -> None:
    worker = store.a_worker()
    store.claimed(by=store.a_worker())
    assert worker.renew().held == frozenset()


def test_a_lease_that_nobody_opened_is_not_open(store: Store) -> None:
    stranger = Worker(store, "stranger", "no such lease")
    assert not stranger.renew().is_open


def test_a_renewal_after_the_clock_was_set_back_brings_the_lease_into_time(store: Store) -> None:
    """E3: no jump holds a lease longer than its length, and none ends it either."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    store.advance(-10 * TTL)
    assert worker.take() == []
    assert worker.renew().is_open
    assert ids(worker.take()) == ["a"]
