"""Workers whose jobs run in child processes: what a death, a signal or an end of the worker leaves behind."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path
from time import monotonic

import pytest

from tests.faults.process import ROOT, Process, Processes
from tests.faults.test_signals import GONE, GRACE
from tests.ledger.apps import failure_of
from tests.leeway import leeway
from tests.places.place import Place
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, Windlass

NEXT = 1.0
"""Seconds after a death within which the next job starts."""
ORPHANED = 5.0
"""Seconds within which no child of a dead worker is left."""


def crew(processes: Processes, **options: object) -> Process:
    """A worker process that is up; it has no children yet."""
    process = processes.start("isolated", json.dumps(options))
    process.await_line("ready")
    return process


def child_of(process: Process) -> int:
    """The child in which the next job begins."""
    _, child = process.await_line("began").split()
    return int(child)


def is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("task", ["hold_in_child", "deaf_in_child"])
def test_no_child_survives_its_worker(app: Windlass, raw_store: RawStore, processes: Processes, task: str) -> None:
    """W6: kill -9 of the worker; its jobs are run by another."""
    victim = crew(processes, children=2, lease="1h")
    jobs: list[Job[object]] = [app.enqueue(task), app.enqueue(task)]
    children = [child_of(victim) for _ in jobs]
    eventually(lambda: all(job.refresh().started_at is not None for job in jobs), "the runs are marked as started")
    victim.kill()
    died = monotonic()
    eventually(lambda: all(map(is_gone, children)), "the children are gone")
    assert monotonic() - died < leeway(ORPHANED)
    raw_store.expire_leases()
    eventually(app.rescue, "the lease is over")
    eventually(lambda: [job.refresh().record.crashes for job in jobs] == [1, 1], "both are charged")


@pytest.mark.only_on("sqlite")
def test_no_child_survives_a_worker_that_dies_while_it_starts_them(app: Windlass, processes: Processes) -> None:
    """W6: at any moment of a child's start."""
    for _ in range(4):
        victim = crew(processes, children=2, lease="1h")
        app.enqueue_many([app.request("note_in_child", (1,))] * 2)
        eventually(lambda victim=victim: len(victim.children()) >= 2, "children start")  # type: ignore[misc]
        started = victim.children()
        victim.kill()
        eventually(lambda started=started: all(map(is_gone, started)), "they are gone")  # type: ignore[misc]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("task", ["hold_in_child", "deaf_in_child"])
def test_a_worker_that_stops_leaves_no_child(app: Windlass, processes: Processes, task: str) -> None:
    """B7: gone within grace + 2 s, whatever its jobs do; nothing is charged."""
    worker = crew(processes, children=1, grace=GRACE, lease="1h")
    job = app.enqueue(task)
    child = child_of(worker)
    worker.signal(signal.SIGTERM)
    worker.ends_within(GRACE + GONE)
    assert is_gone(child)
    assert (job.refresh().state, job.attempt, job.record.crashes, job.record.rescues) == (State.PENDING, 0, 0, 0)


@pytest.mark.only_on("sqlite")
def test_a_worker_that_stops_while_its_children_start_leaves_none(app: Windlass, processes: Processes) -> None:
    """B7: a job that waits for its child is handed back at once."""
    worker = crew(processes, children=2, grace=0, lease="1h")
    jobs = app.enqueue_many([app.request("hold_in_child")] * 2)
    eventually(lambda: len(worker.children()) >= 2, "children start")
    children = worker.children()
    worker.signal(signal.SIGTERM)
    worker.ends_within(GONE)
    eventually(lambda: all(map(is_gone, children)), "they are gone")
    assert {(job.refresh().state, job.attempt) for job in jobs} == {(State.PENDING, 0)}


@pytest.mark.only_on("sqlite")
def test_a_job_that_ends_within_the_grace_time_is_finished(app: Windlass, processes: Processes) -> None:
    """B7: in a child as anywhere."""
    worker = crew(processes, children=1, grace="1h")
    job = app.enqueue("hold_in_child")
    child = child_of(worker)
    worker.signal(signal.SIGTERM)
    eventually(lambda: app.workers()[0].state == "draining", "it drains")
    processes.open_gate(job.id, 1)
    worker.ends_within(GONE)
    assert job.result(timeout=PATIENCE) == child
    assert is_gone(child)


@pytest.mark.only_on("sqlite")
def test_ctrl_c_at_a_terminal_stops_the_worker_and_not_its_children(
    app: Windlass, place: Place, processes: Processes
) -> None:
    """B7: a terminal signals everybody that it started; the job in the child is finished all the same."""
    terminal, of_worker = pty.openpty()
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.programs.isolated", '{"children": 1, "grace": "1h"}'],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "WINDLASS_URL": place.url,
            "NAMESPACE": place.namespace,
            "GATES": str(processes.folder),
        },
        stdin=of_worker,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  # one system call, no lock
    )
    try:
        job = app.enqueue("hold_in_child")
        eventually(lambda: job.refresh().started_at is not None, "it runs")
        os.write(terminal, b"\x03")
        eventually(lambda: app.workers()[0].state == "draining", "the worker drains")
        processes.open_gate(job.id, 1)
        assert isinstance(job.result(timeout=PATIENCE), int)
        assert worker.wait(PATIENCE) == 0
    finally:
        worker.kill()
        worker.wait()
        os.close(terminal)
        os.close(of_worker)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_death_is_told_at_once_with_its_circumstances(
    app: Windlass, processes: Processes, number: signal.Signals
) -> None:
    """W5: the signal, the processor time, the memory; and the next job starts within a second, in a new child."""
    crew(processes, children=1, lease="1h")
    first: Job[int] = app.enqueue("hold_in_child")
    processes.open_gate(first.id, 1)
    child = first.result(timeout=PATIENCE)
    dead, following = app.enqueue_many(
        [
            app.request("die_in_child", (int(number),), attempts=1),
            app.request("hold_in_child", id="following", attempts=1),
        ]
    )
    processes.open_gate("following", 1)
    told = re.fullmatch(
        rf"the child process that ran this job was killed by {number.name}, after (\d+\.\d) s of processor time, "
        r"with (\d+) MB of memory when last seen",
        str(failure_of(dead).message),
    )
    assert told, failure_of(dead).message
    assert float(told[1]) >= 0.5
    assert int(told[2]) > 5
    assert following.result(timeout=PATIENCE) != child
    ended, started = dead.refresh().finished_at, following.refresh().started_at
    assert ended is not None
    assert started is not None
    assert (started - ended).total_seconds() < leeway(NEXT)


@pytest.mark.only_on("sqlite")
def test_deaths_of_children_leave_nothing_behind(app: Windlass, processes: Processes) -> None:
    """W5, W17: neither files nor threads nor memory in the worker, whose lease lives through all of it."""
    worker = crew(processes, children=2, lease="1h")

    def kill_children(count: int) -> None:
        jobs = app.enqueue_many([app.request("leave_in_child", attempts=1)] * count)
        assert {failure_of(job).reason for job in jobs} == {"crashed"}

    kill_children(4)
    before = worker.footprint()
    kill_children(24)
    after = worker.footprint()
    assert after.files <= before.files + 2
    assert after.threads <= before.threads + 2
    assert after.memory < before.memory + 8e6
    assert len(worker.children()) <= 3, "two children, and what multiprocessing keeps for their files"


SCRIPT = """
import os, sys
from windlass import Windlass

app = Windlass({url!r})

@app.task(isolation="process")
def where() -> tuple[int, int]:
    return os.getpid(), os.getppid()

{rest}
"""

GUARDED = """
if __name__ == "__main__":
    job = where.enqueue()
    app.worker(children=1).run_until_empty()
    child, parent = job.result(timeout=60)
    print(child != os.getpid(), parent == os.getpid())
"""

UNGUARDED = """
job = where.options(attempts=1).enqueue()
app.worker(children=1).run_until_empty()
print(job.refresh().errors[-1].message)
"""


HIDDEN = """
if __name__ == "__main__":
    hidden = Windlass("sqlite:///:memory:")
    job = hidden.task(isolation="process", name="hidden")(where.function).options(attempts=1).enqueue()
    hidden.worker(children=1).run_until_empty()
    print(job.refresh().errors[-1].message)
"""


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (GUARDED, "True True"),
        (UNGUARDED, "needs `if __name__ == '__main__':`"),
        (HIDDEN, "there is no 'hidden' in module '__main__' in a child process"),
    ],
    ids=["guarded", "unguarded", "hidden"],
)
def test_a_script_may_be_program_and_tasks_at_once(tmp_path: Path, rest: str, said: str) -> None:
    """B6: children find tasks in the program that was started; one that is not made for that is told so."""
    script = tmp_path / "jobs.py"
    script.write_text(SCRIPT.format(url=f"sqlite:///{tmp_path / 'jobs.db'}", rest=rest))
    run = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
        check=False,
    )
    assert said in run.stdout, run.stderr
