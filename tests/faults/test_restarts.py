"""Processes that replace others again and again keep their own size."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.faults.process import Footprint, Processes, footprint_of
from tests.waiting import PATIENCE, eventually
from windlass import Windlass

pytestmark = pytest.mark.only_on("sqlite")

RECYCLES = 20
"""Of children; six are enough for everything to have found its size. 200 gave the same."""
ROLLS = 3
"""Of all worker processes; 50 gave the same."""

JOBS = "from windlass import Windlass\napp = Windlass()\n@app.task(name='noop')\ndef noop() -> None: ...\n"


def keeps_its_size(look: Callable[[], Footprint], replace: Callable[[], None], *, at_first: int, then: int) -> None:
    """A few replacements may make it grow, those after them may not."""
    for _ in range(at_first):
        replace()
    before = look()
    for _ in range(then):
        replace()
    after = look()
    assert after.files <= before.files + 2
    assert after.threads <= before.threads + 2
    assert after.memory < before.memory + 6e6


def test_a_worker_that_replaces_its_children_keeps_its_size(app: Windlass, processes: Processes) -> None:
    """W17: neither files nor threads nor memory nor processes are left behind by those that went before."""
    worker = processes.start("isolated", json.dumps({"children": 2, "child_max_jobs": 1, "lease": "1h"}))
    worker.await_line("ready")

    def replace_child() -> None:
        app.enqueue("note_in_child", 1).result(timeout=PATIENCE)

    keeps_its_size(worker.footprint, replace_child, at_first=6, then=RECYCLES)
    eventually(lambda: len(worker.children()) <= 3, "two children, and what multiprocessing keeps for their files")


def test_a_parent_that_replaces_its_workers_keeps_its_size(tmp_path: Path) -> None:
    """W17: rolling restarts, one after the other; as many workers as before, and none of the old ones."""
    program = Program(tmp_path)
    program.write("jobs.py", JOBS)
    program.app.migrate()

    def workers() -> set[int]:
        return {view.info["pid"] for view in program.app.workers() if view.state == "idle"}

    with program.start("worker", "--processes", "2") as parent:

        def roll() -> None:
            eventually(lambda: len(workers()) == 2, "both are up")
            before = workers()
            parent.signal(signal.SIGHUP)
            eventually(lambda: len(workers()) == 2 and not workers() & before, "both were replaced")
            eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in before), "the old ones are gone")

        keeps_its_size(lambda: footprint_of(parent.pid), roll, at_first=2, then=ROLLS)
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0
    assert program.app.workers() == []
    program.app.close()
