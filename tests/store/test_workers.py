"""workers: those that live, and those that were lost."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL
from tests.store.cleaning import tidy
from tests.store.stores import Store
from windlass.store.operations import leases
from windlass.store.operations.leases import WorkerRecord


def states(store: Store) -> dict[str, str]:
    return {worker.name: worker.state for worker in store.run(leases.workers())}


def test_a_worker_tells_what_it_does_with_every_heartbeat(store: Store) -> None:
    """Heartbeats with the worker's state."""
    worker = store.a_worker("w1")
    store.advance(SECOND)
    presence = leases.WorkerReport(worker.id, "w1", "busy", '{"queues":["default"],"running":3}')
    store.run(leases.renew(presence, lease=worker.lease))
    assert store.run(leases.workers()) == [
        WorkerRecord(worker.id, "w1", "busy", START, START + SECOND, None, None, presence.info)
    ]


def test_they_come_in_the_order_of_their_start(store: Store) -> None:
    for name in ("z", "a", "m"):
        store.a_worker(name)
        store.advance(1)
    assert list(states(store)) == ["z", "a", "m"]


def test_a_worker_whose_lease_is_over_is_lost(store: Store) -> None:
    worker = store.a_worker("w1")
    store.advance(TTL - 1)
    assert states(store) == {"w1": "idle"}
    store.advance(1)
    assert states(store) == {"w1": "lost"}
    worker.renew()
    assert states(store) == {"w1": "idle"}


def test_a_worker_whose_lease_was_rescued_is_lost_until_it_opens_another(store: Store) -> None:
    worker = store.a_worker("w1")
    store.claimed(by=worker)
    store.advance(TTL)
    store.rescue()
    worker.renew()
    assert states(store) == {"w1": "lost"}
    store.a_worker("w1")
    assert states(store) == {"w1": "idle"}


def test_a_row_that_somebody_deleted_is_made_anew_by_the_next_heartbeat(store: Store) -> None:
    """The worker's jobs keep their own lease meanwhile."""
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    store.advance(2 * 86_400 * SECOND)
    store.run(tidy())
    assert states(store) == {}
    assert worker.renew().held == {(job.seq, job.fence)}
    assert states(store) == {"w1": "idle"}


def test_manual_claims_show_no_worker(store: Store) -> None:
    store.manually_claimed()
    assert states(store) == {}
