"""``windlass worker --processes``: a parent that starts, replaces and stops worker processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from time import monotonic

import pytest

from tests.cli.program import Program, Running
from tests.leeway import leeway
from tests.places.frozen_process import freeze
from tests.places.health_probe import asked
from tests.waiting import PATIENCE, eventually
from windlass import State

GRACE = 1.0
GONE = 2.0
"""Seconds after the grace time within which the parent and its processes are gone."""

JOBS = """
import asyncio
import os
from pathlib import Path

from windlass import Windlass

print("loaded by", os.getpid(), flush=True)
app = Windlass()


@app.task(name="who")
def who() -> int:
    return os.getpid()


@app.task(name="listen")
def listen(pipe: str) -> str:
    print("listening in", os.getpid(), flush=True)
    return Path(pipe).read_text()


@app.task(name="forever")
async def forever() -> None:
    print("forever in", os.getpid(), flush=True)
    await asyncio.Event().wait()
"""


@pytest.fixture
def fleet(windlass: Program) -> Program:
    windlass.write("jobs.py", JOBS)
    return windlass


@pytest.fixture
def two(fleet: Program) -> Iterator[Running]:
    """A parent with two worker processes that are up; it has heard of one that it is ready."""
    with fleet.start("worker", "--processes", "2", "--grace", f"{GRACE}s", "--health-port", "0") as parent:
        address = parent.wait_for("2 worker processes").rpartition(" ")[2]
        eventually(lambda: len(pids(fleet)) == 2)
        eventually(lambda: asked(address, "/readyz")[0] == 200)
        yield parent


def pids(program: Program) -> set[int]:
    """The processes of the workers that live."""
    return {worker.info["pid"] for worker in program.app.workers() if worker.state != "lost"}


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_the_parent_loads_none_of_the_users_code(fleet: Program, two: Running) -> None:
    workers = pids(fleet)
    eventually(lambda: {int(line.split()[-1]) for line in two.shown if line.startswith("loaded by")} >= workers)
    two.signal(signal.SIGTERM)
    assert two.code() == 0
    assert {int(line.split()[-1]) for line in two.shown if line.startswith("loaded by")} == workers


def test_a_signal_ends_all_of_them_and_then_the_parent(fleet: Program, two: Running) -> None:
    """B7: exit code 0, nobody left in the list or in the system."""
    workers = pids(fleet)
    began = monotonic()
    two.signal(signal.SIGTERM)
    two.wait_for("stopping the worker processes; another SIGTERM or SIGINT stops them now")
    assert two.code() == 0
    assert monotonic() - began < leeway(GRACE + GONE)
    assert all(is_gone(pid) for pid in workers)
    assert fleet.app.workers() == []


@pytest.mark.parametrize("count", [1, 2])
def test_what_runs_is_handed_back_uncharged(fleet: Program, two: Running, count: int) -> None:
    """B7: after the grace time, or at once on a second signal."""
    job = fleet.app.enqueue("forever")
    two.wait_for("forever in")
    two.signal(signal.SIGTERM)
    two.wait_for("windlass.worker: stopping")
    if count == 2:
        two.signal(signal.SIGTERM)
    assert two.code() == 0
    assert (job.refresh().state, job.attempt, job.record.crashes) == (State.PENDING, 0, 0)


def test_lines_of_the_log_tell_whose_they_are(fleet: Program, two: Running) -> None:
    workers = pids(fleet)
    two.signal(signal.SIGTERM)
    said = {two.wait_for("windlass.worker: stopping").split()[3] for _ in workers}
    assert said == {f"[{pid}]" for pid in workers}


def test_one_that_was_killed_is_replaced(fleet: Program, two: Running) -> None:
    before = pids(fleet)
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    assert "starting another one" in two.wait_for(f"worker process {victim} was killed by SIGKILL")
    two.wait_for("loaded by")
    eventually(lambda: len(pids(fleet) - {victim}) == 2)
    assert before - {victim} <= pids(fleet), "the other one goes on"


def test_one_that_cannot_live_is_started_again_ever_later(fleet: Program) -> None:
    fleet.write("jobs.py", "import os\nos._exit(3)\n")
    with fleet.start("worker", "--processes", "1", "-A", "jobs") as parent:
        pauses = [float(parent.wait_for("exited with code 3").split()[-2]) for _ in range(4)]
        assert pauses[3] > pauses[0] * 2
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0


def test_wrong_use_is_not_tried_again(fleet: Program) -> None:
    answer = fleet("worker", "--processes", "1", "-q", "ma il")
    assert answer.code == 2
    assert answer.error.count("windlass: error: queue name 'ma il'") == 1


def test_code_that_cannot_be_loaded_from_the_start_ends_all(fleet: Program) -> None:
    fleet.write("jobs.py", "def (")
    answer = fleet("worker", "--processes", "3", "-A", "jobs")
    assert answer.code == 2
    assert "starting another one" not in answer.error
    assert "another SIGTERM" not in answer.error, "nobody has sent one"


def test_code_that_breaks_later_stops_nobody_who_runs(fleet: Program) -> None:
    """The missing one is tried again, ever later, until it can be loaded."""
    with fleet.start("worker", "--processes", "2", "--grace", f"{GRACE}s", "--health-port", "0") as parent:
        address = parent.wait_for("2 worker processes").split()[-1]
        eventually(lambda: len(pids(fleet)) == 2)
        eventually(lambda: asked(address, "/readyz") == (200, "ok"), "the parent has heard that one works")
        victim, other = sorted(pids(fleet))
        fleet.write("jobs.py", "def (")
        os.kill(victim, signal.SIGKILL)
        for _ in range(2):
            parent.wait_for("windlass: error: ")
            parent.wait_for("exited with code 2; starting another one")
        assert fleet.app.enqueue("who").result(timeout=PATIENCE) == other
        fleet.write("jobs.py", JOBS)
        eventually(lambda: len(pids(fleet) - {victim}) == 2)
        assert other in pids(fleet)
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0


def test_a_job_that_exits_with_the_code_of_wrong_use_does_not_end_the_parent(fleet: Program) -> None:
    """Only a process that never got as far as a worker has been used wrongly."""
    fleet.write("jobs.py", JOBS + "\n@app.task(name='leave')\ndef leave() -> None:\n    os._exit(2)\n")
    with fleet.start("worker", "--processes", "1", "--lease", "500ms", "--grace", "1s") as parent:
        eventually(lambda: len(pids(fleet)) == 1)
        fleet.app.enqueue("leave")
        parent.wait_for("exited with code 2; starting another one")
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0


def test_sighup_replaces_all_and_somebody_is_always_ready(fleet: Program, two: Running) -> None:
    """Each successor is up before its predecessor leaves, and what the predecessor runs is finished."""
    before = pids(fleet)
    path = fleet.folder / "pipe"
    os.mkfifo(path)
    job = fleet.app.enqueue("listen", str(path))
    two.wait_for("listening")
    two.signal(signal.SIGHUP)
    two.wait_for("replacing")
    two.wait_for("loaded by")
    two.wait_for("windlass.worker: stopping")
    eventually(lambda: len(pids(fleet)) == 3)  # the one that runs the job may be the second that is replaced
    path.write_text("heard")
    assert job.result(timeout=PATIENCE) == "heard"
    eventually(lambda: len(pids(fleet)) == 2 and not pids(fleet) & before)
    assert job.refresh().attempt == 1
    assert fleet.app.enqueue("who").result(timeout=PATIENCE) in pids(fleet)


def test_a_successor_that_cannot_start_replaces_nobody(fleet: Program, two: Running) -> None:
    before = pids(fleet)
    fleet.write("jobs.py", "def (")
    two.signal(signal.SIGHUP)
    two.wait_for("keeping the ones there are")
    assert fleet.app.enqueue("who").result(timeout=PATIENCE) in before
    assert pids(fleet) == before


def test_no_worker_survives_its_parent(fleet: Program) -> None:
    """They leave as on a signal: what runs goes back uncharged after the grace time, without waiting for the lease.

    The parent serves its health, so that it has several threads: the system tells of the death of each.
    """
    with fleet.start("worker", "--processes", "2", "--grace", f"{GRACE}s", "--health-port", "0") as parent:
        eventually(lambda: len(pids(fleet)) == 2)
        workers = pids(fleet)
        job = fleet.app.enqueue("forever")
        parent.wait_for("forever in")
        killed = monotonic()
        parent.signal(signal.SIGKILL)
        parent.wait_for("windlass.worker: stopping")
        eventually(lambda: job.refresh().state is State.PENDING)
        assert monotonic() - killed >= GRACE, "one death is one request, not two, which would mean at once"
        eventually(lambda: all(is_gone(pid) for pid in workers))
    assert fleet.app.workers() == []
    assert (job.refresh().state, job.attempt, job.record.crashes, job.record.rescues) == (State.PENDING, 0, 0, 0)


def test_one_that_does_not_stop_is_killed_in_time(fleet: Program, two: Running) -> None:
    """B7: gone within grace + 2 s, and the exit code tells."""
    victim = min(pids(fleet))
    freeze(victim, file=fleet.folder / "windlass.db")
    began = monotonic()
    two.signal(signal.SIGTERM)
    two.wait_for(f"worker process {victim} does not stop")
    assert monotonic() - began < leeway(GRACE + GONE)
    assert two.code() == 128 + signal.SIGKILL


def test_a_burst_ends_when_all_have_ended(fleet: Program) -> None:
    jobs = [fleet.app.enqueue("who") for _ in range(20)]
    assert fleet("worker", "--processes", "2", "--burst").code == 0
    assert all(job.refresh().state is State.COMPLETED for job in jobs)


def test_an_id_for_all_of_them_is_numbered(fleet: Program) -> None:
    """C12: names for people differ."""
    with fleet.start("worker", "-p", "2", "--name", "web", "--id", "a", "--grace", "1s") as parent:
        eventually(lambda: len(pids(fleet)) == 2)
        assert {worker.name for worker in fleet.app.workers()} == {"web-worker-a-1", "web-worker-a-2"}
        parent.signal(signal.SIGTERM)
        assert parent.code() == 0


def test_an_old_process_that_does_not_leave_is_killed(fleet: Program, two: Running) -> None:
    """A replacement of all must not wait for one of them for ever."""
    before = pids(fleet)
    stuck = min(before)
    freeze(stuck, file=fleet.folder / "windlass.db")
    two.signal(signal.SIGHUP)
    two.wait_for(f"worker process {stuck} does not stop; killing it")
    eventually(lambda: all(is_gone(pid) for pid in before))
    assert fleet.app.enqueue("who").result(timeout=PATIENCE) not in before
