"""kill -9 of workers, again and again, while they run the members of a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.names import GATHER, NAP
from tests.faults.process import Processes
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass, group

LEASE = 1.0
MEMBERS = 200
KILLS = 5


@pytest.mark.only_on("postgres")
def test_the_callback_of_a_group_runs_once_whoever_dies(app: Windlass, processes: Processes, tmp_path: Path) -> None:
    """B35: 200 members on four workers, of which one after the other is killed."""
    naps = [app.request(NAP, [0.1], attempts=20) for _ in range(MEMBERS)]
    flow = group(naps).then(app.request(GATHER, queue="last")).enqueue(app)
    options = {"lease": LEASE, "queues": ["default"], "concurrency": 1, "grace": 0}
    workers = [processes.worker(**options) for _ in range(4)]
    for number in range(KILLS):
        before = flow.progress().done
        eventually(lambda before=before: flow.progress().done in range(before + 1, MEMBERS + 1))  # type: ignore[misc]
        workers[number % 4].kill()
        workers[number % 4] = processes.worker(**options)
        if flow.last.refresh().state is not State.BLOCKED:
            break
    eventually(lambda: flow.last.refresh().state is State.PENDING, "the callback is let go")
    assert flow.progress().states == {State.COMPLETED: MEMBERS}
    processes.worker(queues=["last"])
    assert flow.result(timeout=PATIENCE) == [MEMBERS, MEMBERS]
    assert flow.last.refresh().attempt == 1
    assert (tmp_path / "gates" / "gathered").read_text().split() == [flow.last.id]
