"""SIGHUP: a fresh process, or the end of the terminal at which the worker was started."""

from __future__ import annotations

import os
import signal
from time import monotonic

import pytest

from tests.cli.process_jobs import JOBS
from tests.cli.program import Program
from tests.waiting import PATIENCE, eventually
from windlass import State


@pytest.fixture
def shop(windlass: Program) -> Program:
    windlass.write("jobs.py", JOBS)
    return windlass


def life(shop: Program) -> tuple[int, str]:
    """Of the process in which the next job runs."""
    pid, name = shop.app.enqueue("life").result(timeout=PATIENCE)
    return pid, name


def test_a_worker_without_a_parent_goes_on_in_a_fresh_process(shop: Program) -> None:
    """Under the same process id, when what runs has ended, whatever the grace time; as often as it is asked for."""
    pipe = shop.folder / "pipe"
    os.mkfifo(pipe)
    # A process that gets no turn within the last second of its stop leaves a claim to the rescuer: a short lease then.
    with shop.start("worker", "--grace", "10ms", "--lease", "10s") as worker:
        running = shop.app.enqueue("listen", str(pipe))
        worker.wait_for("listening")
        pid, first = life(shop)
        worker.signal(signal.SIGHUP)
        worker.wait_for("claiming no more")
        waiting = shop.app.enqueue("life")
        pipe.write_text("heard by ")
        assert running.result(timeout=PATIENCE) == f"heard by {first}"
        assert waiting.result(timeout=PATIENCE)[0] == pid == worker.pid
        seen = {first, waiting.result(timeout=PATIENCE)[1]}
        worker.signal(signal.SIGHUP)
        eventually(lambda: life(shop)[1] not in seen)
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert shop.app.workers() == []
    assert {job.attempt for job in shop.app.jobs()} == {1}


def test_no_number_of_requests_ends_it(shop: Program) -> None:
    """Also those that come while the fresh process is not up yet."""
    with shop.start("worker") as worker:
        before = life(shop)
        for _ in range(3):
            worker.signal(signal.SIGHUP)
        worker.wait_for("claiming no more")
        until = monotonic() + 1
        while monotonic() < until:
            worker.signal(signal.SIGHUP)
            life(shop)
        eventually(lambda: life(shop) != before)
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


@pytest.mark.parametrize("command", [["worker"], ["worker", "--processes", "2"], ["dev", "-A", "jobs"]], ids=" ".join)
def test_a_terminal_that_is_closed_ends_what_was_started_there(shop: Program, command: list[str]) -> None:
    """B7: as SIGTERM does: what runs goes back uncharged after the grace time, and nobody is left."""
    grace = [] if command[0] == "dev" else ["--grace", "500ms"]
    with shop.start_at_terminal(*command, *grace) as (worker, hang_up):
        job = shop.app.enqueue("forever")
        worker.wait_for("forever")
        hang_up()
        assert worker.code() == 0
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)
    assert shop.app.workers() == []
