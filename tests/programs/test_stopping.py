"""Programs that have to end: time limits, cancels, workers that stop or die."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.faults.process import Processes
from tests.ledger.apps import failure_of
from tests.programs.running_programs import await_end, is_alive, number_in, shell
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass

STUBBORN = """trap '' TERM; echo $$ > "$1"; while :; do sleep 0.05; done"""
"""Ignores what asks it to end; what it starts does not."""

FAMILY = """sleep 1000 & echo $! > "$2"; echo $$ > "$1"; wait"""
"""Starts another program and waits for it."""


def test_the_time_limit_ends_the_program_and_what_it_started(app: Windlass, tmp_path: Path) -> None:
    parent, child = tmp_path / "parent", tmp_path / "child"
    with app.worker(allow_commands=True) as worker:
        failed = failure_of(app.enqueue(shell(FAMILY, parent, child, timeout=0.5, attempts=1)))
        assert (failed.type, failed.reason, failed.message) == ("TimeoutError", "timeout", "ran longer than 0.5 s")
        assert worker.status().abandoned == 0
    await_end(number_in(parent))
    await_end(number_in(child))


def test_a_program_that_ignores_the_signal_is_killed(app: Windlass, tmp_path: Path) -> None:
    with app.worker(allow_commands=True, stop_patience=0.6) as worker:
        failed = failure_of(app.enqueue(shell(STUBBORN, tmp_path / "pid", timeout=0.3, attempts=1)))
        assert failed.reason == "timeout"
        assert worker.status().abandoned == 0
    assert not is_alive(number_in(tmp_path / "pid"))


def test_a_program_may_clean_up_when_it_is_asked_to_end(app: Windlass, tmp_path: Path) -> None:
    """Its exit code counts for nothing then."""
    script = """trap 'echo 1 > "$1"; exit 0' TERM; while :; do sleep 0.05; done"""
    with app.worker(allow_commands=True):
        failed = failure_of(app.enqueue(shell(script, tmp_path / "clean", timeout=0.3, attempts=1)))
    assert failed.reason == "timeout"
    assert number_in(tmp_path / "clean") == 1


def test_a_cancel_ends_the_program(app: Windlass, tmp_path: Path) -> None:
    parent, child = tmp_path / "parent", tmp_path / "child"
    with app.worker(allow_commands=True, lease=3):
        job = app.enqueue(shell(FAMILY, parent, child))
        pids = number_in(parent), number_in(child)
        assert job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
    for pid in pids:
        await_end(pid)


def test_a_worker_that_stops_takes_its_programs_along(app: Windlass, tmp_path: Path) -> None:
    """Uncharged, and ready for another worker at once."""
    file = tmp_path / "pid"
    with app.worker(allow_commands=True, grace=0):
        job = app.enqueue(shell(STUBBORN, file))
        pid = number_in(file)
    await_end(pid)
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_the_last_words_of_a_program_that_was_stopped_are_kept(app: Windlass) -> None:
    with app.worker(allow_commands=True):
        job = app.enqueue(shell("echo half way >&2; sleep 1000", timeout=0.4, attempts=1))
        failure_of(job)
    assert "half way" in job.refresh().errors[0].log


def test_no_program_outlives_a_worker_that_is_killed(app: Windlass, processes: Processes, tmp_path: Path) -> None:
    """Nor what the program has started."""
    parent, child = tmp_path / "parent", tmp_path / "child"
    worker = processes.worker(allow_commands=True)
    app.enqueue(shell(FAMILY, parent, child))
    pids = number_in(parent), number_in(child)
    assert all(map(is_alive, pids))
    worker.kill()
    for pid in pids:
        await_end(pid)


def test_a_signal_to_the_worker_ends_its_programs(app: Windlass, processes: Processes, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    worker = processes.worker(allow_commands=True, grace=0)
    job = app.enqueue(shell(STUBBORN, file))
    pid = number_in(file)
    worker.signal(signal.SIGTERM)
    worker.exit_code()
    await_end(pid)
    eventually(lambda: job.refresh().state is State.PENDING, "the job is handed back")
    assert job.attempt == 0
