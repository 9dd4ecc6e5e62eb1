"""Odd cases of ``--max-jobs`` and ``--max-memory``; the plain ones are in tests/ledger/test_b11_worker_processes.py."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.cli.process_jobs import JOBS
from tests.cli.program import Program
from tests.waiting import PATIENCE, eventually
from windlass import State


@pytest.fixture
def shop(windlass: Program) -> Program:
    windlass.write("jobs.py", JOBS)
    return windlass


def lives(shop: Program, count: int) -> list[tuple[int, str]]:
    """Process id and life of the process in which each of so many jobs ran, one after the other."""
    return [tuple(shop.app.enqueue("life").result(timeout=PATIENCE)) for _ in range(count)]


def different_lives(shop: Program, count: int) -> set[tuple[int, str]]:
    """Run jobs until they have been in so many different processes."""
    seen: set[tuple[int, str]] = set()

    def is_enough() -> bool:
        seen.update(lives(shop, 1))
        return len(seen) == count

    eventually(is_enough)
    return seen


def test_a_fresh_process_has_the_process_id_of_the_one_before(shop: Program) -> None:
    """B11: whoever started the worker notices nothing."""
    with shop.start("worker", "--max-jobs", "2") as worker:
        seen = different_lives(shop, 3)
        assert {pid for pid, _ in seen} == {worker.pid}
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


def test_a_job_that_changes_the_folder_does_not_lead_the_fresh_process_astray(shop: Program) -> None:
    """B11: it finds its code and its store where they were."""
    with shop.start("worker", "--max-jobs", "1", "-A", "jobs") as worker:
        worker.wait_for("tasks")
        shop.app.enqueue("wander").result(timeout=PATIENCE)
        worker.wait_for("tasks")
        assert lives(shop, 1)[0][0] == worker.pid
        worker.wait_for("tasks")  # of the third process, which runs no job
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


def test_a_supervised_worker_is_replaced_at_once(shop: Program) -> None:
    """B11: by its parent, without a pause."""
    with shop.start("worker", "--processes", "1", "--max-jobs", "1", "--grace", "1s") as parent:
        seen = different_lives(shop, 3)
        assert len({pid for pid, _ in seen}) == 3
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0
        assert not [line for line in parent.shown if "starting another one" in line]


def test_a_worker_that_is_too_large_from_the_start_still_runs_jobs(shop: Program) -> None:
    """B11: one, and then the next process does."""
    with shop.start("worker", "--max-memory", "1KB") as worker:
        worker.wait_for("tasks")
        first = lives(shop, 1)[0]
        worker.wait_for("tasks")
        assert lives(shop, 1)[0] != first
        worker.wait_for("tasks")  # of the third process, which stays until it has run a job
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_fresh_process_that_does_not_run_yet(shop: Program, number: int) -> None:
    """B7, B11: as it would have ended the one before."""
    pipe = shop.folder / "pipe"
    os.mkfifo(pipe)
    shop.write(
        "jobs.py",
        f"""{JOBS}
import sys
if "--afresh" in sys.argv:
    print("importing", flush=True)
    Path({str(pipe)!r}).read_text()
""",
    )
    with shop.start("worker", "--max-jobs", "1") as worker:
        lives(shop, 1)
        worker.wait_for("importing")
        worker.signal(number)
        assert worker.code() == 0
    assert not [line for line in worker.shown if "Traceback" in line]
    assert shop.app.workers() == []


def test_a_signal_ends_a_worker_that_is_about_to_be_replaced(shop: Program) -> None:
    """B7: the grace time counts from the signal, and no fresh process comes after it."""
    pipe = shop.folder / "pipe"
    os.mkfifo(pipe)
    running = shop.app.enqueue("listen", str(pipe))
    with shop.start("worker", "--max-jobs", "1", "--grace", "10ms", "-c", "2") as worker:
        worker.wait_for("listening")
        lives(shop, 1)
        worker.wait_for("claiming no more")
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert (running.refresh().state, running.attempt) == (State.PENDING, 0)
    assert shop.app.workers() == []


def test_a_worker_with_too_many_runs_that_would_not_stop_is_replaced(shop: Program) -> None:
    """B8: abandoned threads end with their process, and the jobs after them run in a fresh one."""
    pipe = shop.folder / "pipe"
    os.mkfifo(pipe)
    shop.app.enqueue_many([shop.app.request("listen", [str(pipe)], attempts=1, timeout=0.05) for _ in range(3)])
    with shop.start("worker", "-c", "3") as worker:
        worker.wait_for("claiming no more; a fresh process")
        eventually(lambda: any("runs do not stop" in line for line in worker.shown), "another thread tells why")
        worker.wait_for("tasks")
        assert lives(shop, 1)[0][0] == worker.pid
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0


def test_a_burst_has_no_limits(shop: Program) -> None:
    assert shop("worker", "--burst", "--max-jobs", "1").is_error(2, "--burst", "--max-jobs")


@pytest.mark.parametrize("given", [["--max-memory", "much"], ["--max-jobs", "0"], ["--max-jobs", "few"]])
def test_limits_that_are_none_are_refused(shop: Program, given: list[str]) -> None:
    assert shop("worker", *given).is_error(2, *given)


def test_the_memory_of_this_process_is_known() -> None:
    from windlass.worker.process.resources import cpu_seconds, resident_memory

    told = Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]
    assert abs(resident_memory() - int(told) * 1024) < 20_000_000
    assert cpu_seconds() > 0
