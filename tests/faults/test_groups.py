"""kill -9 of workers, again and again, while they run the members of a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.names import GATHER, NAP, NOTE
from tests.faults.process import Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass, group

LEASE = 5.0
"""Seconds; the workers that live must keep theirs on a machine that is busy with other things."""
MEMBERS = 200
KILLS = 5


@pytest.mark.timeout(240)
def test_the_callback_of_a_group_runs_once_whoever_dies(app: Windlass, processes: Processes, tmp_path: Path) -> None:
    """B35: 200 members on four workers, of which one after the other is killed."""
    naps = [app.request(NAP, [0.1], attempts=20) for _ in range(MEMBERS)]
    flow = group(naps).then(app.request(GATHER, queue="last")).enqueue(app)
    options = {"lease": LEASE, "queues": ["default"], "concurrency": 1, "grace": 0}
    workers = [processes.worker(**options) for _ in range(4)]
    for number in range(KILLS):
        before = flow.progress().done
        if before == MEMBERS:  # a new worker took longer to start than the others to do all of it
            break
        eventually(lambda before=before: flow.progress().done > before)  # type: ignore[misc]
        workers[number % 4].kill()
        workers[number % 4] = processes.worker(**options)
    eventually(lambda: flow.last.refresh().state is State.PENDING, "the callback is let go")
    assert flow.progress().states == {State.COMPLETED: MEMBERS}
    processes.worker(queues=["last"])
    assert flow.result(timeout=PATIENCE) == [MEMBERS, MEMBERS]
    assert flow.last.refresh().attempt == 1
    assert (tmp_path / "gates" / "gathered").read_text().split() == [flow.last.id]


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("moment", ["w8 ending committed", "w7 ending sent", "w2 claim committed"])
def test_a_worker_may_die_at_any_moment_of_the_last_members(
    app: Windlass, raw_store: RawStore, processes: Processes, tmp_path: Path, moment: str
) -> None:
    """B35: the callback is let go with the last ending or not at all, and nobody has to be told of it."""
    notes = [app.request(NOTE, [number]) for number in range(2)]
    flow = group(notes).then(app.request(GATHER, queue="last")).enqueue(app)
    victim = processes.held(moment, lease="1h", grace=0, queues=["default"])
    victim.await_line("reached")
    victim.kill()
    raw_store.expire_leases()
    processes.worker(queues=["default", "last"])
    assert flow.result(timeout=PATIENCE)[0] == len(notes)
    assert flow.last.refresh().attempt == 1
    assert (tmp_path / "gates" / "gathered").read_text().split() == [flow.last.id]
