"""``windlass workers``."""

from __future__ import annotations

import re
import signal

from tests.cli.program import Program
from tests.waiting import PATIENCE, eventually


def test_a_worker_is_listed_paused_and_resumed(windlass: Program) -> None:
    """B10: one worker, by name; it follows within 2 s, and who asked is shown."""
    app = windlass.app
    with windlass.start("worker", "--name", "web", "--id", "1", "--lease", "2s", "--heartbeat", "200ms") as worker:
        worker.wait_for("tasks")
        [listed] = windlass.json("workers", "list")["workers"]
        assert listed["name"] == "web-worker-1"
        assert (listed["queues"], listed["abandoned"]) == (["default", "mail"], 0)
        assert windlass.json("workers", "show", "web-worker-1")["id"] == listed["id"]
        assert "default, mail" in windlass("workers", "show", listed["id"]).out
        assert windlass("workers", "pause", "web-worker-1").code == 0
        eventually(lambda: app.workers()[0].state == "paused")
        row = windlass("workers", "list").out.splitlines()[1]
        assert row.split()[:2] == ["web-worker-1", "paused"]
        assert "pause asked by " in row
        assert windlass.json("workers", "resume", listed["id"]) == {
            "worker": listed["id"],
            "paused": False,
            "reached": 1,
        }
        assert app.enqueue("mail.welcome", 1).result(timeout=PATIENCE) == "welcome 1"
        status = windlass("status").out
        assert "web-worker-1" in status
        worker.signal(signal.SIGTERM)
        assert worker.code() == 0
    assert windlass("workers", "list").out == "no workers\n"


def test_one_worker_is_shown_for_people_and_for_programs(windlass: Program) -> None:
    job = windlass.app.enqueue("mail.welcome", 1)
    with windlass.start("worker", "--name", "web", "--id", "1", "--lease", "2s", "--heartbeat", "200ms") as worker:
        worker.wait_for("tasks")
        eventually(lambda: [last["id"] for last in windlass.app.workers()[0].info["last"]] == [job.id])
        shown = windlass("workers", "show", "web-worker-1").out
        for told in (r"memory +\d+\.\d MB\n", r"cpu +\d+\.\d %\n", r"uptime +\d+m?s\n"):
            assert re.search(told, shown), shown
        heading, row = shown.splitlines()[-2:]
        assert heading.split() == ["LAST", "TASK", "STATE", "RAN", "FOR"]
        assert re.fullmatch(rf"{job.id}  mail\.welcome  completed +\d+ms", row)
        raw = windlass.json("workers", "show", "web-worker-1")
        assert isinstance(raw["memory"], int)
        assert raw["last"][0].keys() == {"id", "task", "state", "ran_for"}


def test_failed_runs_are_counted(windlass: Program) -> None:
    """B9: in the list, in the detail and for programs."""
    windlass.app.enqueue(windlass.app.request("broken", ("no",), attempts=1))
    with windlass.start("worker", "--name", "web", "--id", "1", "--lease", "2s", "--heartbeat", "200ms") as worker:
        worker.wait_for("tasks")
        eventually(lambda: windlass.app.workers()[0].info["failed"] == 1)
        heading, row = windlass("workers", "list").out.splitlines()
        assert row.split()[heading.split().index("FAILED")] == "1"
        assert re.search(r"failed +1\n", windlass("workers", "show", "web-worker-1").out)
        assert windlass.json("workers", "list")["workers"][0]["failed"] == 1


def test_a_run_under_way_counts_among_the_runs(windlass: Program) -> None:
    job = windlass.app.enqueue("forever")
    with windlass.start("worker", "-q", "default") as worker:
        worker.wait_for("forever")
        eventually(lambda: job.refresh().started_at is not None)
        assert windlass("jobs", "list").out.splitlines()[1].split()[3:5] == ["running", "1/4"]
        assert re.search(r"attempts +1 of 4\n", windlass("jobs", "show", job.id).out)
        assert windlass.json("jobs", "show", job.id)["attempt"] == 0


def test_a_worker_that_is_not_there_is_a_problem(shop: Program) -> None:
    assert shop("workers", "pause", "nobody").is_error(1, "'nobody'", "windlass workers list")
    assert shop("workers", "show", "nobody").is_error(1, "'nobody'")
    assert shop("workers", "resume", "nobody").is_error(1, "'nobody'")


def test_sigusr1_writes_the_stacks_and_the_worker_goes_on(windlass: Program) -> None:
    """B24: to its log; and the command asks through the store."""
    with windlass.start("worker", "-A", "jobs", "-q", "default") as running:
        running.wait_for("tasks")
        running.signal(signal.SIGUSR1)
        running.wait_for("thread MainThread:")
        [worker] = windlass.app.workers()
        asked, unknown = windlass.many(["workers", "stacks", worker.name], ["workers", "stacks", "nobody"])
        assert "thread MainThread:" in asked.out
        assert unknown.is_error(1, "nobody")


HANGING = """
import ctypes

from windlass import Windlass

app = Windlass()


@app.task(name="hang")
def hang():
    print("hanging", flush=True)
    ctypes.PyDLL(None).pause()  # in C, and with the interpreter's lock
"""


def test_sigusr2_writes_the_stacks_of_an_interpreter_that_hangs(windlass: Program) -> None:
    """B24: a job holds it, and never lets go."""
    (windlass.folder / "hanging.py").write_text(HANGING)
    windlass.app.enqueue("hang")
    with windlass.start("worker", "-A", "hanging", "-q", "default") as running:
        running.wait_for("hanging")
        running.signal(signal.SIGUSR2)
        running.wait_for("Current thread")
