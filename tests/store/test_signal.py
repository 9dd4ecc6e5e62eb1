"""signal: leaves word for workers."""

from __future__ import annotations

from tests.store.stores import Store
from windlass.store import leases


def signals(store: Store) -> dict[str, tuple[str | None, str | None]]:
    return {worker.name: (worker.signal, worker.signalled_by) for worker in store.run(leases.workers())}


def test_one_worker_is_reached_by_its_id(store: Store) -> None:
    """B10: one worker; who is shown."""
    worker = store.a_worker("w1")
    store.a_worker("w2")
    assert store.run(leases.signal(worker.id, signal="pause", by="me")) == [worker.id]
    assert signals(store) == {"w1": ("pause", "me"), "w2": (None, None)}


def test_workers_are_reached_by_their_name(store: Store) -> None:
    worker = store.a_worker("w1")
    store.a_worker("w2")
    assert store.run(leases.signal("w1", signal="pause", by="me")) == [worker.id]


def test_all_workers_are_reached_at_once(store: Store) -> None:
    """B10: all."""
    found = {store.a_worker("w1").id, store.a_worker("w2").id}
    assert set(store.run(leases.signal(None, signal="stop", by="me"))) == found


def test_a_stranger_is_not_reached(store: Store) -> None:
    store.a_worker("w1")
    assert store.run(leases.signal("w9", signal="pause", by="me")) == []


def test_a_signal_outlives_heartbeats(store: Store) -> None:
    worker = store.a_worker("w1")
    store.run(leases.signal("w1", signal="pause", by="me"))
    worker.renew()
    assert worker.control().signal == "pause"
