"""Commands at the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import JOBS, Program
from windlass import State


@pytest.fixture
def windlass(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path)
    program.write("jobs.py", JOBS)
    program.app.migrate()
    yield program
    program.app.close()


def test_a_command_is_enqueued_by_its_name(windlass: Program) -> None:
    """Although no app registers it."""
    made = windlass.json("enqueue", "windlass.command", '[["echo", "hi"]]', '{"cwd": "/"}', "--timeout", "30s")
    job = windlass.app.job(made["id"])
    assert (job.task, job.record.timeout) == ("windlass.command", 30_000)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (['["ls -l"]'], "never goes through a shell"),
        (["[]"], "argv"),
        (['[["ls"]]', '{"shell": true}'], "shell"),
    ],
)
def test_a_wrong_command_is_refused(windlass: Program, arguments: list[str], complaint: str) -> None:
    answer = windlass("enqueue", "windlass.command", *arguments)
    assert answer.code == 2
    assert complaint in answer.error
    assert windlass.app.jobs() == []


def test_a_worker_runs_commands_when_it_is_told_to(windlass: Program) -> None:
    windlass("enqueue", "windlass.command", '[["pwd"]]')
    assert windlass("worker", "--burst").code == 0
    [job] = windlass.app.jobs()
    assert (job.state, job.reason) == (State.SCHEDULED, "unknown_task")
    job.reschedule(0)
    assert windlass("worker", "--burst", "--allow-commands", "--commands-folder", "/").code == 0
    assert job.refresh().result(timeout=0)["stdout"] == "/\n"


def test_a_folder_without_leave_is_wrong_use(windlass: Program) -> None:
    answer = windlass("worker", "--burst", "--commands-folder", "/")
    assert answer.code == 2
    assert "commands are not allowed" in answer.error


@pytest.mark.parametrize(("options", "told"), [([], False), (["--allow-commands"], True)])
def test_a_worker_tells_whether_it_runs_commands(windlass: Program, options: list[str], told: bool) -> None:
    """C11: and so does the list of workers that programs read."""
    with windlass.start("worker", "--name", "till", "--id", "1", *options) as worker:
        worker.wait_for("tasks")
        assert windlass.json("workers", "show", "till-worker-1")["commands"] is told
        [row] = [line for line in windlass("workers", "show", "till-worker-1").out.splitlines() if "commands" in line]
        assert row.split() == ["commands", "yes" if told else "no"]
