"""Workers that stand still: by SIGSTOP for longer than their lease (W8) or for less, or for want of a CPU (W9)."""

from __future__ import annotations

import json
import signal
import sys
from datetime import timedelta

import pytest

from tests.faults.kill_points import MOMENTS
from tests.faults.names import AHOLD, HOLD, NOTE
from tests.faults.process import Processes
from tests.ledger.apps import raises
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Windlass

HOLDING = [name for name, moment in MOMENTS.items() if name != "w1 claim sent" and not moment.after_signal]
"""When it has a job."""


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("moment", HOLDING)
def test_a_zombie_changes_nothing_whenever_it_stalled(
    app: Windlass, raw_store: RawStore, processes: Processes, moment: str
) -> None:
    """W8, A7, E2: another worker has finished the job when it wakes; it goes on under a new lease."""
    kind = MOMENTS[moment]
    job = kind.enqueue(app)
    zombie = processes.held(moment, lease="1h", heartbeat="300ms", name="zombie", duties=False)
    zombie.await_line("reached")
    zombie.freeze()
    raw_store.expire_leases()
    heir = processes.worker(lease="1h", name="heir")
    if kind.task == HOLD:
        id, run = heir.await_line("began").split()
        processes.open_gate(id, int(run))
    job.result(timeout=PATIENCE)
    before = job.refresh().record

    processes.go_on()
    zombie.signal(signal.SIGCONT)
    heir.kill()
    assert app.enqueue(NOTE, 8).result(timeout=PATIENCE) == 8, "the zombie works again"
    assert job.refresh().record == before
    assert [entry.kind for entry in job.timeline()].count("completed") == 1
    assert [entry for entry in job.timeline() if entry.kind == "refused"] or moment != "w7 ending sent"


def test_repeated_stalls_within_the_lease_cost_nothing(app: Windlass, processes: Processes) -> None:
    """W9: each stall lasts until another worker has looked for leases that are over, many times."""
    worker = processes.worker(lease="30s", heartbeat="1s", name="slow", concurrency=1)
    lease = {view.name: view.id for view in app.workers()}
    job = app.enqueue(HOLD)
    worker.await_line("began")
    for _ in range(3):
        seen = app.workers()[0].seen_at
        worker.freeze()
        for _ in range(20):
            assert app.rescue() == []
        worker.signal(signal.SIGCONT)
        eventually(lambda seen=seen: app.workers()[0].seen_at > seen, "its heart beats again")  # type: ignore[misc]
    processes.open_gate(job.id, 1)
    assert job.result(timeout=PATIENCE) == 1
    assert (job.refresh().attempt, job.record.crashes, raises(job.fence)) == (1, 0, 1)
    assert {view.name: view.id for view in app.workers()} == lease


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux lets a test put processes on one CPU and tells who waits"
)
@pytest.mark.only_on("sqlite")
def test_a_worker_that_hardly_gets_a_turn_keeps_its_lease(app: Windlass, processes: Processes) -> None:
    """W9: four processes take the CPU from a worker with a short lease and something running on each executor.

    With a store in the process, and with one in a server. The test looks for expired leases all the time, for more than
    two leases' time. A lease of 3 s: beside other tests a commit alone may take a second, and a worker whose store
    stands still is no subject of this test.
    """
    worker = processes.start("starved", json.dumps({"lease": "3s", "name": "starved"}))
    worker.await_line("ready")
    jobs = [app.enqueue(task) for task in (HOLD, AHOLD, "hold_in_child")]
    for _ in jobs:
        worker.await_line("began")
    [view] = app.workers()
    before = worker.turns()
    for _ in range(4):
        processes.start("hog")
    beats = {view.seen_at}

    def has_beaten_on() -> bool:
        assert app.rescue() == []
        beats.update(seen.seen_at for seen in app.workers())
        return max(beats) - min(beats) > timedelta(seconds=7) and len(beats) > 5

    eventually(has_beaten_on, "its heart beats on")
    after = worker.turns()
    assert after.waited - before.waited > 2 * (after.had - before.had), "it starves"
    for job in jobs:
        processes.open_gate(job.id, 1)
        job.result(timeout=PATIENCE)
        assert (job.refresh().attempt, job.record.crashes, job.record.rescues, raises(job.fence)) == (1, 0, 0, 1)
    assert [seen.id for seen in app.workers()] == [view.id]
    assert "lost" not in (processes.folder / "starved.log").read_text()


def test_a_worker_that_was_deleted_from_the_store_keeps_its_job(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """W13: it shows itself again with its next heartbeat, and the job's lease was never gone."""
    worker = processes.worker(lease="1h", heartbeat="300ms", concurrency=1)
    job = app.enqueue(HOLD)
    worker.await_line("began")
    raw_store.forget_workers()
    assert app.workers() == []
    eventually(lambda: [view.state for view in app.workers()] == ["busy"], "it is back")
    assert app.rescue() == []
    processes.open_gate(job.id, 1)
    assert job.result(timeout=PATIENCE) == 1
    assert (job.refresh().attempt, raises(job.fence)) == (1, 1)
