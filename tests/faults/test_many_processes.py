"""Many processes on one store, some of them called the same."""

from __future__ import annotations

import pytest

from tests.faults.names import HOLD
from tests.faults.process import Processes
from tests.leeway import leeway
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass

CALLS = 40


@pytest.mark.only_on("sqlite")
def test_four_processes_with_four_threads_each_write_beside_workers(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """A15: no lock error reaches the user, no call waits over 1 s, and a killed process harms nothing."""
    victim = processes.start("producer", "1")
    writers = [processes.start("writers", str(CALLS), *kind) for kind in (["worker"], ["worker"], [], [])]
    victim.await_line("returned")
    for writer in writers:
        writer.await_line("ready")
    victim.kill()
    lines = [line for writer in writers for line in writer.rest()]
    assert [line for line in lines if line.startswith("failed")] == []
    slowest = [float(line.split()[1]) for line in lines if line.startswith("slowest")]
    assert len(slowest) == 16
    assert max(slowest) < leeway(1)
    raw_store.check()
    assert sum(app.counts().values()) >= 16 * CALLS


@pytest.mark.only_on("sqlite")
def test_two_workers_of_the_same_name_are_two(app: Windlass, raw_store: RawStore, processes: Processes) -> None:
    """C12: the name is for people; what one loses is not taken from the other (W12)."""
    options = {"name": "shop", "version": "1", "id": "a", "lease": "1h", "concurrency": 1}
    first, second = processes.worker(**options), processes.worker(**options)
    assert [worker.name for worker in app.workers()] == ["shop-worker-1-a"] * 2
    assert len({worker.id for worker in app.workers()}) == 2
    jobs = [app.enqueue(HOLD), app.enqueue(HOLD)]
    of_first, of_second = first.await_line("began").split()[0], second.await_line("began").split()[0]
    assert {of_first, of_second} == {job.id for job in jobs}
    eventually(lambda: all(job.refresh().started_at is not None for job in jobs), "both runs are marked as started")
    first.kill()
    raw_store.expire_lease_of(app.job(of_first))
    assert app.rescue()
    assert app.job(of_second).state is State.RUNNING, "only the dead one loses its job"
    processes.open_gate(of_second, 1)
    assert app.job(of_second).result(timeout=PATIENCE) == 1
    _, run = second.await_line("began").split()
    processes.open_gate(of_first, int(run))
    assert app.job(of_first).result(timeout=PATIENCE) == int(run)
    assert (app.job(of_second).attempt, app.job(of_first).attempt) == (1, 2)
