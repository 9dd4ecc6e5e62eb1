"""open_lease: registers a worker and gives it a lease."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL, fresh, ids, new_job
from tests.store.stores import Store, Worker
from windlass.store.operations import leases


def test_an_open_lease_may_claim_at_once(store: Store) -> None:
    store.enqueue(new_job("a"))
    assert ids(store.a_worker().take()) == ["a"]


def test_a_lease_is_as_long_as_it_was_asked_for(store: Store) -> None:
    store.enqueue(new_job("a"))
    worker = store.a_worker(ttl=SECOND)
    store.advance(SECOND)
    assert worker.take() == []


def test_opening_the_same_lease_again_does_not_prolong_it(store: Store) -> None:
    """A repeated open after a lost answer is harmless."""
    store.enqueue(new_job("a"))
    worker = store.a_worker()
    store.advance(TTL)
    store.run(leases.open_lease(worker.presence(), lease=worker.lease, ttl=TTL))
    assert worker.take() == []


def test_the_worker_is_shown(store: Store) -> None:
    """State, name, since when."""
    worker = store.a_worker("w1")
    [found] = store.run(leases.workers())
    assert (found.id, found.name, found.state) == (worker.id, "w1", "idle")
    assert (found.started_at, found.seen_at, found.info) == (START, START, '{"queues":["default"]}')


def test_a_worker_that_opens_a_second_lease_is_shown_once_with_its_first_start(store: Store) -> None:
    first = store.a_worker("w1")
    store.advance(SECOND)
    second = Worker(store, "w1", fresh("lease"))
    store.run(leases.open_lease(second.presence("busy"), lease=second.lease, ttl=TTL))
    [found] = store.run(leases.workers())
    assert (found.id, found.state) == (first.id, "busy")
    assert (found.started_at, found.seen_at) == (START, START + SECOND)


def test_two_workers_of_one_name_are_two(store: Store) -> None:
    """C12: a random instance id decides ownership, the name is for people."""
    for number in (1, 2):
        presence = leases.WorkerReport(f"id{number}", "same", "idle", "{}")
        store.run(leases.open_lease(presence, lease=f"lease{number}", ttl=TTL))
    assert [(found.id, found.name) for found in store.run(leases.workers())] == [("id1", "same"), ("id2", "same")]
