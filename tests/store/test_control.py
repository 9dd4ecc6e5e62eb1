"""control: what others want of a worker."""

from __future__ import annotations

from tests.store.builders import TTL, new_job
from tests.store.stores import Store
from windlass.store.operations import jobs, leases, queues
from windlass.store.operations.leases import Control, QueueControl


def test_a_worker_that_nobody_wants_anything_of(store: Store) -> None:
    store.enqueue(new_job())
    assert store.a_worker().control() == Control(store.clock(), None, None, True, frozenset(), {}, {})


def test_cancels_of_its_own_jobs_are_told(store: Store) -> None:
    """A4, A7: with the fence, so that a later run is not stopped for an earlier request."""
    worker, other = store.a_worker(), store.a_worker()
    mine, kept, theirs = store.claimed(by=worker), store.claimed(by=worker), store.claimed(by=other)
    store.run(jobs.cancel([mine.seq, theirs.seq], by="me"))
    assert worker.control().cancels == {(mine.seq, mine.fence)}
    worker.end(mine)
    worker.end(kept)
    assert worker.control().cancels == frozenset()


def test_a_signal_is_told_until_it_is_taken_back(store: Store) -> None:
    """B10: one worker."""
    worker, other = store.a_worker(), store.a_worker()
    store.run(leases.signal(worker.id, signal="pause", by="me"))
    assert (worker.control().signal, other.control().signal) == ("pause", None)
    assert worker.control().signalled_by == "me"
    store.run(leases.signal(worker.id, signal=None, by="me"))
    assert worker.control().signal is None


def test_settings_of_queues_are_told(store: Store) -> None:
    """B10: followed while running."""
    worker = store.a_worker()
    store.run(queues.ensure([queues.QueueSeed("plain", None, 5)]))
    store.run(queues.change("mail", {"weight": 3, "retry": '{"base":2}'}, by="me"))
    store.run(queues.pause("slow", by="me", reason="x"))
    assert worker.control().queues == {
        "mail": QueueControl("mail", 3, False, '{"base":2}'),
        "slow": QueueControl("slow", None, True, None),
    }


def test_a_pause_of_all_queues_is_told(store: Store) -> None:
    worker = store.a_worker()
    store.run(queues.pause(queues.ALL, by="me", reason="x"))
    assert worker.control().queues[queues.ALL].is_paused


def test_a_lease_that_was_rescued_is_told(store: Store) -> None:
    """E2: the worker stops side effects."""
    worker = store.a_worker()
    store.claimed(by=worker)
    store.advance(TTL)
    assert worker.control().is_open, "time alone does not end it"
    store.rescue()
    assert not worker.control().is_open
