"""Limits on running jobs while the processes that run them stall and die."""

from __future__ import annotations

from tests.faults.names import HOLD
from tests.faults.process import Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass


def test_a_limit_holds_while_a_worker_stalls_dies_and_others_take_over(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """C3, E4: what a lost worker held comes back once, when it is rescued, and not before."""
    app.queue("default").configure(max_running=2)
    app.configure(max_running=3)
    first = processes.worker(lease="1h", concurrency=3)
    jobs = [app.enqueue(HOLD) for _ in range(4)]
    held = [first.await_line("began").split()[0] for _ in range(2)]
    second = processes.worker(lease="1h", concurrency=3)
    assert app.counts()[State.RUNNING] == 2
    eventually(lambda: all(job.refresh().started_at for job in jobs if job.id in held), "both runs are marked")
    first.freeze()
    raw_store.expire_lease_of(app.job(held[0]))
    for _ in jobs:
        id, run = second.await_line("began").split()
        assert app.counts()[State.RUNNING] <= 2
        processes.open_gate(id, int(run))
        assert app.job(id).result(timeout=PATIENCE) == int(run)
    first.kill()
    assert app.counts()[State.COMPLETED] == 4
