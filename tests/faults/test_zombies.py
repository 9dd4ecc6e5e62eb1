"""A worker that was stopped beyond its lease and wakes up again."""

from __future__ import annotations

import signal

import pytest

from tests.faults.names import AHOLD, HOLD, NOTE
from tests.faults.process import Processes
from tests.ledger.apps import raises
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass


@pytest.mark.parametrize("task", [HOLD, AHOLD], ids=["thread", "async"])
def test_a_zombie_cannot_overwrite_its_successor(
    app: Windlass, raw_store: RawStore, processes: Processes, task: str
) -> None:
    """A7, E2: SIGSTOP beyond the lease, another worker finishes the job, SIGCONT: the late writes are refused."""
    zombie = processes.worker(lease="1h", name="zombie", concurrency=1)
    job = app.enqueue(task)
    assert zombie.await_line("began") == f"{job.id} 1"
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    zombie.freeze()
    raw_store.expire_leases()
    successor = processes.worker(lease="1h", name="successor", concurrency=1)
    id, run = successor.await_line("began").split()
    processes.open_gate(id, int(run))
    assert (id, job.result(timeout=PATIENCE)) == (job.id, int(run))

    processes.open_gate(job.id, 1)
    zombie.signal(signal.SIGCONT)
    eventually(lambda: [entry for entry in job.timeline() if entry.kind == "refused"], "a write was refused")
    [refused] = [entry for entry in job.timeline() if entry.kind == "refused"]
    assert (raises(refused.fence or 0), str(refused.worker).startswith("zombie-worker")) == (1, True)

    assert (job.refresh().state, job.result(timeout=PATIENCE)) == (State.COMPLETED, int(run))
    assert str(job.worker).startswith("successor-worker")
    assert (job.attempt, job.record.crashes) == (2, 1)
    assert [entry.kind for entry in job.timeline()].count("completed") == 1


def test_a_zombie_goes_on_under_a_new_lease(app: Windlass, raw_store: RawStore, processes: Processes) -> None:
    """A8: it re-registers and works again (W8)."""
    zombie = processes.worker(lease="1h", heartbeat="100ms", name="zombie", concurrency=1)
    job = app.enqueue(HOLD)
    zombie.await_line("began")
    zombie.freeze()
    raw_store.expire_leases()
    assert app.rescue()
    job.cancel()
    processes.open_gate(job.id, 1)
    zombie.signal(signal.SIGCONT)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7
    eventually(lambda: [worker.state for worker in app.workers()] == ["idle"], "the worker is alive again")


def test_a_pause_shorter_than_the_lease_costs_nothing(app: Windlass, processes: Processes) -> None:
    """W9: nobody else gets the job, and it ends as its first attempt."""
    worker = processes.worker(lease="30s", concurrency=1)
    processes.worker(lease="30s", queues=["elsewhere"])
    job = app.enqueue(HOLD)
    worker.await_line("began")
    for _ in range(3):
        worker.freeze()
        assert app.rescue() == []
        worker.signal(signal.SIGCONT)
    processes.open_gate(job.id, 1)
    assert job.result(timeout=PATIENCE) == 1
    assert (job.refresh().attempt, job.record.crashes) == (1, 0)
