"""report_worker: what a worker does, between two heartbeats."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL
from tests.store.stores import Store, Worker
from windlass.store.operations import leases
from windlass.store.operations.leases import WorkerRecord, WorkerReport


def show(worker: Worker, info: str = "{}") -> None:
    presence = WorkerReport(worker.id, worker.name, "busy", info)
    worker.store.run(leases.report_worker(presence, lease=worker.lease))


def test_figures_are_as_new_as_the_worker_showed_them(store: Store) -> None:
    """B9: and when that was."""
    worker, other = store.a_worker("w1"), store.a_worker("w2")
    store.advance(SECOND)
    show(worker, '{"running_count":3}')
    assert store.run(leases.workers()) == [
        WorkerRecord(worker.id, "w1", "busy", START, START + SECOND, None, None, '{"running_count":3}'),
        WorkerRecord(other.id, "w2", "idle", START, START, None, None, other.presence().info),
    ]


def test_it_prolongs_no_lease(store: Store) -> None:
    """Only a heartbeat learns what the lease still holds; without one its jobs are rescued."""
    worker = store.a_worker("w1")
    job = store.claimed(by=worker)
    store.advance(TTL - 1)
    show(worker)
    store.advance(1)
    assert [seen.state for seen in store.run(leases.workers())] == ["lost"]
    assert [rescued.id for rescued in store.rescue()] == [job.id]


def test_it_takes_back_no_signal(store: Store) -> None:
    worker = store.a_worker("w1")
    store.run(leases.signal("w1", signal=leases.PAUSE, by="me"))
    show(worker)
    assert worker.control().signal == leases.PAUSE


def test_a_worker_that_is_gone_is_not_shown_again(store: Store) -> None:
    """One that has left, and one that was forgotten: that one is shown by its next heartbeat."""
    left, forgotten = store.a_worker("w1"), store.a_worker("w2")
    left.close()
    store.advance(TTL)
    store.run(leases.forget_workers("w2"))
    for worker in (left, forgotten):
        show(worker)
    assert store.run(leases.workers()) == []


def test_it_counts_only_under_the_lease_that_the_worker_has(store: Store) -> None:
    """A call that was under way when the worker opened another lease shows nothing that is over."""
    worker = store.a_worker("w1")
    late = WorkerReport(worker.id, worker.name, "busy", "{}")
    store.run(leases.open_lease(worker.presence(), lease="another", ttl=TTL))
    store.run(leases.report_worker(late, lease=worker.lease))
    assert [seen.state for seen in store.run(leases.workers())] == ["idle"]
