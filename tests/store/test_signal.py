"""signal: leaves word for workers."""

from __future__ import annotations

import pytest

from tests.store.builders import TTL
from tests.store.stores import Store
from windlass.store.operations import leases
from windlass.store.operations.leases import PAUSE, STOP


def signals(store: Store) -> dict[str, tuple[str | None, str | None]]:
    return {worker.name: (worker.signal, worker.signalled_by) for worker in store.run(leases.workers())}


def test_one_worker_is_reached_by_its_id(store: Store) -> None:
    """B10: one worker; who is shown."""
    worker = store.a_worker("w1")
    store.a_worker("w2")
    assert store.run(leases.signal(worker.id, signal=PAUSE, by="me")) == [worker.id]
    assert signals(store) == {"w1": (PAUSE, "me"), "w2": (None, None)}


def test_workers_are_reached_by_their_name(store: Store) -> None:
    worker = store.a_worker("w1")
    store.a_worker("w2")
    assert store.run(leases.signal("w1", signal=PAUSE, by="me")) == [worker.id]


def test_all_workers_are_reached_at_once(store: Store) -> None:
    """B10: all."""
    found = {store.a_worker("w1").id, store.a_worker("w2").id}
    assert set(store.run(leases.signal(None, signal=STOP, by="me"))) == found


def test_a_stranger_is_not_reached(store: Store) -> None:
    store.a_worker("w1")
    assert store.run(leases.signal("w9", signal=PAUSE, by="me")) == []


def test_a_signal_outlives_heartbeats(store: Store) -> None:
    worker = store.a_worker("w1")
    store.run(leases.signal("w1", signal=PAUSE, by="me"))
    worker.renew()
    assert worker.control().signal == PAUSE


def test_a_stop_cannot_be_taken_back(store: Store) -> None:
    """The worker may be on its way out already; and who asked first stays known."""
    worker = store.a_worker("w1")
    assert store.run(leases.signal("w1", signal=STOP, by="ada")) == [worker.id]
    for signal in (None, PAUSE):
        assert store.run(leases.signal("w1", signal=signal, by="bob")) == []
    assert store.run(leases.signal("w1", signal=STOP, by="bob")) == [worker.id], "asked twice is asked once"
    assert (worker.control().signal, signals(store)) == (STOP, {"w1": (STOP, "ada")})


def test_a_stop_takes_the_place_of_a_pause(store: Store) -> None:
    worker = store.a_worker("w1")
    store.run(leases.signal("w1", signal=PAUSE, by="ada"))
    store.run(leases.signal("w1", signal=STOP, by="bob"))
    assert (worker.control().signal, signals(store)) == (STOP, {"w1": (STOP, "bob")})


@pytest.mark.parametrize("is_rescued", [False, True])
def test_a_stop_does_not_reach_a_lost_worker(store: Store, is_rescued: bool) -> None:
    """Nothing hears it there; and should the worker come back, the word is not meant for it any more."""
    worker = store.a_worker("w1")
    store.claimed(by=worker)
    store.advance(TTL)
    if is_rescued:
        store.rescue()
    assert store.run(leases.signal("w1", signal=STOP, by="me")) == []
    assert worker.control().signal is None


def test_a_stop_is_not_for_another_worker_that_has_the_name_later(store: Store) -> None:
    """Names come again: those of a supervisor's places, and those that a person gives."""
    old = store.a_worker("w1")
    store.run(leases.signal("w1", signal=STOP, by="me"))
    new = leases.WorkerReport("another-id", "w1", "idle", "{}")
    store.run(leases.open_lease(new, lease="another-lease", ttl=TTL))
    assert store.run(leases.control(worker="another-id", lease="another-lease")).signal is None
    assert old.control().signal == STOP


def test_a_worker_that_leaves_hears_what_it_was_asked_last(store: Store) -> None:
    """It may have asked the store for the last time before the word was left."""
    asked, other = store.a_worker("w1"), store.a_worker("w2")
    store.run(leases.signal("w1", signal=STOP, by="me"))
    assert (asked.close(), other.close(), asked.close()) == (STOP, None, None)
