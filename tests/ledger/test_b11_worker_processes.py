"""Worker processes are replaced between jobs; child processes are in test_b11_recycling.py, odd cases in tests/cli."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.places.place import Place
from tests.waiting import PATIENCE, eventually

JOBS = """
import os
import uuid
from pathlib import Path

from windlass import Windlass

app = Windlass(namespace="{namespace}")  # the store comes from the environment
life = uuid.uuid4().hex
kept = []


@app.task(name="life")
def live(megabytes: int = 0) -> str:
    kept.append(os.urandom(1) * (megabytes << 20))
    return life


@app.task(name="listen")
def listen(pipe: str) -> str:
    print("listening", flush=True)
    return Path(pipe).read_text() + life
"""


@pytest.fixture
def program(tmp_path: Path, place: Place) -> Iterator[Program]:
    made = Program(tmp_path, place)
    made.write("jobs.py", JOBS.format(namespace=place.namespace))
    yield made
    made.app.close(wait=False)


def life(program: Program, megabytes: int = 0) -> str:
    """Of the process in which the next job runs."""
    told: str = program.app.enqueue("life", megabytes).result(timeout=PATIENCE)
    return told


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("parent", [[], ["--processes", "1"]], ids=["alone", "supervised"])
def test_a_worker_process_is_replaced_after_so_many_jobs(program: Program, parent: list[str]) -> None:
    """B11: whoever looks after it; nothing is lost or charged, and no worker is left behind."""
    with program.start("worker", "--max-jobs", "2", *parent) as worker:
        first = life(program)
        eventually(lambda: life(program) != first)
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert program.app.workers() == []
    assert {(job.state, job.attempt, job.record.crashes) for job in program.app.jobs()} == {("completed", 1, 0)}


@pytest.mark.only_on("sqlite")
def test_a_worker_process_that_grew_too_large_is_replaced(program: Program) -> None:
    """B11: one that stays below the limit goes on; the job that made it grow is not harmed."""
    with program.start("worker", "--max-memory", "300MB") as worker:
        small = {life(program) for _ in range(3)}
        assert small == {life(program, megabytes=400)}
        eventually(lambda: life(program) not in small)
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert {(job.state, job.attempt) for job in program.app.jobs()} == {("completed", 1)}


@pytest.mark.only_on("sqlite")
def test_what_runs_is_finished_first(program: Program) -> None:
    """B11: between jobs, whatever the grace time; what comes meanwhile is for the fresh process."""
    pipe = program.folder / "pipe"
    os.mkfifo(pipe)
    running = program.app.enqueue("listen", str(pipe))
    with program.start("worker", "--max-jobs", "1", "--grace", "10ms", "-c", "2") as worker:
        worker.wait_for("listening")
        first = life(program)
        worker.wait_for("claiming no more")
        waiting = program.app.enqueue("life")
        pipe.write_text("heard by ")
        assert running.result(timeout=PATIENCE) == f"heard by {first}"
        assert waiting.result(timeout=PATIENCE) != first
        worker.signal(signal.SIGTERM)
        # It may just be becoming a fresh process once more, which obeys the signal as any program does.
        assert worker.code() in (0, -signal.SIGTERM)
    assert (running.refresh().attempt, waiting.refresh().attempt) == (1, 1)
