"""A program with a worker in it: Ctrl-C, and an end without ``close``."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from windlass import State, Windlass

pytestmark = pytest.mark.only_on("sqlite")

DEADLINE = 60.0
PROGRAM = """
import sys
from threading import Event
from windlass import Windlass

app = Windlass({url!r})

@app.task(name="endless")
async def endless() -> None:
    import asyncio
    print("begun", flush=True)
    await asyncio.Event().wait()

@app.task(name="short")
def short() -> None:
    print("begun", flush=True)
    sys.stdin.readline()

if __name__ == "__main__":
    {body}
"""
IN_WITH = "with app.worker(grace='40s'): Event().wait()"
IN_ASYNC_WITH = """
    import asyncio

    async def main() -> None:
        async with app.worker(grace="40s"):
            await asyncio.Event().wait()

    asyncio.run(main())
"""
IN_ASYNC_WITH_BESIDE_A_THREAD = """
    import asyncio, signal, threading

    def interrupt() -> None:
        sys.stdin.readline()
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    async def main() -> None:
        threading.Thread(target=interrupt, daemon=True).start()
        async with app.worker(grace="1h"):
            await asyncio.Event().wait()

    asyncio.run(main())
"""
IN_TASK_GROUP = """
    import asyncio

    async def work() -> None:
        async with app.worker(grace="40s"):
            await asyncio.Event().wait()

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(work())

    asyncio.run(main())
"""
CANCELLED = """
    import asyncio

    async def work() -> None:
        async with app.worker(grace="0s"):
            await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.create_task(work())
        await asyncio.to_thread(sys.stdin.readline)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())
"""
FORGOTTEN = "worker = app.worker(); worker.start(); sys.stdin.readline()"


@contextmanager
def program(folder: Path, body: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    url = f"sqlite:///{folder / 'jobs.db'}"
    file = folder / "program.py"
    file.write_text(PROGRAM.format(url=url, body=body), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process, url
        finally:
            process.kill()


def begun(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"


def said_after_ctrl_c(process: subprocess.Popen[str]) -> str:
    """The first line that it writes when it is interrupted in the middle of a job."""
    begun(process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    return process.stderr.readline()


@pytest.mark.parametrize("body", [IN_WITH, IN_ASYNC_WITH, IN_TASK_GROUP], ids=["with", "async with", "task group"])
def test_ctrl_c_says_what_is_waited_for_and_a_second_one_stops_now(tmp_path: Path, body: str) -> None:
    with program(tmp_path, body) as (process, url), Windlass(url) as app:
        job = app.enqueue("endless")
        said = said_after_ctrl_c(process)
        assert said == f"stopping: waiting up to 40 s for endless ({job.id}); another Ctrl-C stops now\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=DEADLINE)
        assert "KeyboardInterrupt" in error, "the program itself is interrupted as ever"
        assert job.refresh().state is State.PENDING
        assert job.attempt == 0
        assert app.workers() == []


def test_a_second_ctrl_c_is_noticed_by_a_loop_that_sleeps(tmp_path: Path) -> None:
    """The system may give it to any thread, and one that comes just before the loop goes to sleep does not wake it."""
    with program(tmp_path, IN_ASYNC_WITH_BESIDE_A_THREAD) as (process, url), Windlass(url) as app:
        job = app.enqueue("endless")
        assert "waiting up to 3600 s" in said_after_ctrl_c(process)
        _, error = process.communicate("another\n", timeout=DEADLINE)
        assert "KeyboardInterrupt" in error
        assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


@pytest.mark.parametrize("body", [IN_WITH, IN_ASYNC_WITH], ids=["with", "async with"])
def test_what_ends_within_the_grace_time_is_completed(tmp_path: Path, body: str) -> None:
    with program(tmp_path, body) as (process, url), Windlass(url) as app:
        job = app.enqueue("short")
        assert "waiting up to 40 s" in said_after_ctrl_c(process)
        process.communicate("go on\n", timeout=DEADLINE)
        assert job.refresh().state is State.COMPLETED


def test_a_task_that_the_program_cancels_was_not_interrupted(tmp_path: Path) -> None:
    with program(tmp_path, CANCELLED) as (process, url), Windlass(url) as app:
        job = app.enqueue("endless")
        begun(process)
        _, error = process.communicate("cancel it\n", timeout=DEADLINE)
        assert "Ctrl-C" not in error
        assert (process.returncode, job.refresh().state) == (0, State.PENDING)


@pytest.mark.parametrize("end", ["", "; raise SystemExit(3)", "; raise ValueError('no')"])
def test_a_program_that_ends_without_close_hands_its_jobs_back(tmp_path: Path, end: str) -> None:
    with program(tmp_path, FORGOTTEN + end) as (process, url), Windlass(url) as app:
        job = app.enqueue("endless")
        begun(process)
        _, error = process.communicate("end\n", timeout=DEADLINE)
        assert "releasing what runs (1)" in error
        assert job.refresh().state is State.PENDING
        assert job.attempt == 0
        assert app.workers() == [], "nobody has to wait for its lease"
