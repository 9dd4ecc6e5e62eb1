"""``windlass workers stop`` and ``windlass workers forget``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.program import DEADLINE, Program
from tests.waiting import PATIENCE, eventually
from windlass import State

EMBEDDED = """
from threading import Event

from windlass import Windlass

app = Windlass()


@app.task
def noop() -> None: ...


if __name__ == "__main__":
    with app.worker(name="web", id="1") as worker:
        print("up", flush=True)
        while not worker.is_stopped:
            Event().wait(0.02)
        print("stopped", flush=True)
    app.close()
    print("closed", flush=True)
"""


def names(program: Program) -> list[str]:
    return [worker.name for worker in program.app.workers() if worker.state != "lost"]


def pids(program: Program) -> dict[str, int]:
    return {worker.id: worker.info["pid"] for worker in program.app.workers() if worker.state != "lost"}


def lose_a_worker(program: Program, name: str = "web") -> str:
    """A worker that was killed, and whose lease is over."""
    with program.start("worker", "--name", name, "--id", "1", "--lease", "500ms", "--no-duties") as worker:
        worker.wait_for("tasks")
        worker.signal(signal.SIGKILL)
        worker.code()
    whole = f"{name}-worker-1"
    eventually(lambda: "lost" in {one.state for one in program.app.workers() if one.name == whole})
    return whole


def test_a_worker_stops_and_ends_with_code_0(windlass: Program) -> None:
    """What runs is finished; who asked is in its log; nothing else is started in its place."""
    pipe = windlass.folder / "pipe"
    os.mkfifo(pipe)
    job = windlass.app.enqueue("listen", str(pipe))
    with windlass.start("worker", "--name", "web", "--id", "1", "--max-jobs", "1") as worker:
        worker.wait_for("listening")
        eventually(lambda: windlass.app.workers()[0].info["running_count"] == 1)
        asked = windlass("workers", "stop", "web-worker-1")
        assert (asked.code, asked.error) == (0, "")
        assert asked.out == "web-worker-1  asked to stop; it has the grace time to finish 1 job\n"
        assert "stopping, as " in worker.wait_for("asked: finishing what runs")
        eventually(lambda: windlass.app.workers()[0].state == "draining", "the worker shows it in the store")
        row = windlass("workers", "list").out.splitlines()[1]
        assert row.split()[:2] == ["web-worker-1", "draining"]
        assert "stop asked by " in row
        assert windlass("workers", "pause", "web-worker-1").is_error(1, "was asked to stop by ", "cannot be taken back")
        assert windlass("workers", "stop", "web-worker-1").code == 0, "asked twice is asked once"
        slow = windlass("workers", "stop", "web-worker-1", "--wait", "--timeout", "100ms")
        assert slow.is_error(1, "web-worker-1 has not stopped within 0.1 s", "still runs 1 job")
        pipe.write_text("heard")
        assert worker.code() == 0
    assert job.refresh().state is State.COMPLETED
    assert windlass("workers", "list").out == "no workers\n"


def test_stop_waits_until_all_are_gone(windlass: Program) -> None:
    with windlass.start("worker", "--name", "a", "--id", "1") as one, windlass.start("worker", "--name", "b") as other:
        for worker in (one, other):
            worker.wait_for("tasks")
        [first, second] = windlass.app.workers()
        answer = windlass.json("workers", "stop", first.name, second.id, "--wait")
        assert {*answer.pop("stopped")} == {first.name, second.id}
        assert answer == {"asked_to_stop": [], "errors": []}
        assert (one.code(), other.code()) == (0, 0)


def test_stop_says_of_which_it_could_not(windlass: Program) -> None:
    """Those that are there are asked all the same; a lost one is to be forgotten."""
    lost = lose_a_worker(windlass)
    with windlass.start("worker", "--name", "b", "--id", "1") as worker:
        worker.wait_for("tasks")
        answer = windlass("workers", "stop", "nobody", lost, "b-worker-1", "--json")
        assert (answer.code, answer.json["asked_to_stop"]) == (1, ["b-worker-1"])
        assert [error["worker"] for error in answer.json["errors"]] == ["nobody", lost]
        assert "no worker has the name or id 'nobody'" in answer.error
        assert f"worker {lost} is lost and cannot be asked to stop" in answer.error
        assert f"`windlass workers forget {lost}`" in answer.error
        assert worker.code() == 0


def test_a_worker_under_a_parent_is_not_replaced(windlass: Program) -> None:
    """Its place stays empty, others go on and are replaced as ever; the parent ends with the last of them."""
    with windlass.start("worker", "-p", "2", "--name", "web", "--id", "a", "--grace", "1s") as parent:
        eventually(lambda: len(pids(windlass)) == 2)
        answer = windlass("workers", "stop", "web-worker-a-1", "--wait")
        assert (answer.code, answer.out) == (0, "web-worker-a-1  stopped\n")
        parent.wait_for("was asked to stop; its place stays empty")
        assert names(windlass) == ["web-worker-a-2"]
        [old] = pids(windlass)
        parent.signal(signal.SIGHUP)
        eventually(lambda: pids(windlass) and old not in pids(windlass))
        assert names(windlass) == ["web-worker-a-2"]
        assert windlass.app.enqueue("mail.welcome", 1).result(timeout=PATIENCE) == "welcome 1"
        assert windlass("workers", "stop", "web-worker-a-2", "--wait").code == 0
        assert parent.code() == 0


def test_dev_ends_when_its_worker_is_asked_to_stop(windlass: Program) -> None:
    with windlass.start("dev", "-A", "jobs") as dev:
        dev.wait_for("tasks")
        [name] = names(windlass)
        assert windlass("workers", "stop", name).code == 0
        assert dev.code() == 0


def test_an_embedded_worker_stops_and_its_program_goes_on(windlass: Program) -> None:
    windlass.write("embedded.py", EMBEDDED)
    with subprocess.Popen(
        [sys.executable, "embedded.py"],
        cwd=windlass.folder,
        env=windlass.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "up\n"
        assert windlass("workers", "stop", "web-worker-1", "--wait").out == "web-worker-1  stopped\n"
        assert program.communicate(timeout=DEADLINE)[0] == "stopped\nclosed\n"
        assert program.returncode == 0


def test_lost_workers_are_forgotten_by_name(windlass: Program) -> None:
    lost = lose_a_worker(windlass)
    assert windlass("workers", "forget", lost).out == f"{lost}  forgotten\n"
    assert windlass("workers", "list").out == "no workers\n"
    assert windlass("workers", "forget", lost).is_error(1, f"no worker has the name or id '{lost}'")


def test_a_worker_that_lives_is_not_forgotten(windlass: Program) -> None:
    with windlass.start("worker", "--name", "web", "--id", "1") as worker:
        worker.wait_for("tasks")
        answer = windlass("workers", "forget", "web-worker-1")
        assert answer.is_error(1, "only lost workers are forgotten", "windlass workers stop web-worker-1")
        assert windlass.json("workers", "forget", "--lost", "--yes") == {"forgotten": 0}
        assert names(windlass) == ["web-worker-1"]


def test_all_lost_workers_are_forgotten_after_a_question(windlass: Program) -> None:
    lose_a_worker(windlass, "a")
    lose_a_worker(windlass, "b")
    assert windlass("workers", "forget", "--lost").is_error(2, "forget 2 lost workers?", "--yes")
    assert windlass.at_terminal("workers", "forget", "--lost", answer="n\n").code == 1
    assert len(windlass.app.workers()) == 2
    answer = windlass.at_terminal("workers", "forget", "--lost", answer="y\n")
    assert (answer.code, answer.out[-22:]) == (0, "forgot 2 lost workers\n")
    assert windlass.app.workers() == []


@pytest.mark.parametrize("arguments", [(), ("web", "--lost")])
def test_it_has_to_be_said_which_are_forgotten(shop: Program, arguments: tuple[str, ...]) -> None:
    assert shop("workers", "forget", *arguments).is_error(2, "say which", "--lost")
