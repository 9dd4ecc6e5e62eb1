"""Jobs that are commands, and warm programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, failure_of, work
from tests.waiting import PATIENCE
from windlass import ConfigError, State, Windlass, command
from windlass.testing import ManualClock

COUNTER = Path(__file__).parents[2] / "examples" / "helper.sh"


def test_a_command_runs_where_commands_are_allowed(app: Windlass, tmp_path: Path) -> None:
    """C11: argv, environment, working folder, stdin; what it prints is its result."""
    script = 'echo "$1 $WORD $(basename "$PWD") $(cat)"'
    job = app.enqueue(
        command(["sh", "-c", script, "sh", "$HOME"], env={"WORD": "and"}, cwd=str(tmp_path), stdin="what it read")
    )
    assert work(app, allow_commands=True) == 1
    result = job.result(timeout=0)
    assert (result["exit_code"], result["stdout"]) == (0, f"$HOME and {tmp_path.name} what it read\n")


def test_captured_output_has_a_limit(app: Windlass) -> None:
    """C11: the head and the tail are kept, with how much was cut."""
    job = app.enqueue(command(["seq", "1", "100000"], output_limit=100))
    work(app, allow_commands=True)
    result = job.result(timeout=0)
    assert result["stdout"].startswith("1\n2\n")
    assert result["stdout"].endswith("\n100000\n")
    assert result["stdout_cut"] == 588_895 - 100


def test_a_command_has_a_time_limit(app: Windlass) -> None:
    """C11: like every job, and with the same ending."""
    with app.worker(allow_commands=True, lease=LONG_LEASE):
        failed = failure_of(app.enqueue(command(["sleep", "1000"], timeout=0.2, attempts=1)))
    assert (failed.reason, failed.type) == ("timeout", "TimeoutError")


def test_an_exit_code_is_a_failed_attempt(app: Windlass) -> None:
    """C11: under the retry rules, with the end of stderr."""
    job = app.enqueue(command(["sh", "-c", "echo no paper >&2; exit 3"]))
    work(app, allow_commands=True)
    assert (job.refresh().state, job.attempt) == (State.RETRYING, 1)
    assert job.errors[0].message == "sh exited with code 3: no paper"


def test_other_workers_leave_it_alone(app: Windlass, clock: ManualClock, tmp_path: Path) -> None:
    """C11: as a task that they do not know; nothing is charged, and why names the setting."""
    job = app.enqueue(command(["touch", str(tmp_path / "ran")]))
    assert work(app, queues=["default"]) == 0
    assert (job.refresh().state, job.reason, job.attempt) == (State.SCHEDULED, "unknown_task", 0)
    assert "--allow-commands" in job.why()
    assert not (tmp_path / "ran").exists()
    clock.advance("1m")
    assert work(app, allow_commands=True) == 1
    assert (tmp_path / "ran").exists()


def test_it_fails_after_a_day_without_such_a_worker(app: Windlass, clock: ManualClock) -> None:
    """C11, B31: and says what was missing."""
    job = app.enqueue(command(["true"]))
    work(app, queues=["default"])
    clock.advance("25h")
    work(app, queues=["default"])
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "unknown_task", 0)
    assert "--allow-commands" in job.errors[0].message


def test_a_task_of_that_name_changes_nothing(app: Windlass) -> None:
    """C11: commands cannot be let in by accident."""
    with pytest.raises(ConfigError, match=r"windlass\.command"):

        @app.task(name="windlass.command")
        def mine(argv: list[str]) -> None: ...


def test_a_warm_program_answers_job_after_job(app: Windlass) -> None:
    """C11: one JSON line in, one JSON line out; the same process for all of them."""
    counter = app.helper("counter", ["sh", str(COUNTER)])
    count = counter.task("count")
    jobs = [count.enqueue(n) for n in range(5)]
    with app.worker(lease=LONG_LEASE):
        results = [job.result(timeout=PATIENCE) for job in jobs]
    assert sorted(result["answers"] for result in results) == [1, 2, 3, 4, 5]
    assert len({result["process"] for result in results}) == 1


def test_a_warm_program_is_replaced_when_it_dies(app: Windlass) -> None:
    """C11: the job that it had is charged a crash, and no other."""
    code = """
import json, os, sys
for line in sys.stdin:
    question = json.loads(line)
    if question["args"] == ["die"] and question["attempt"] == 1:
        os.kill(os.getpid(), 9)
    print(json.dumps({"result": question["attempt"]}), flush=True)
"""
    task = app.helper("frail", [sys.executable, "-I", "-c", code]).task("do")
    before, victim, after = (task.enqueue(word) for word in ("live", "die", "live"))
    with app.worker(lease=LONG_LEASE):
        assert [job.result(timeout=PATIENCE) for job in (before, victim, after)] == [1, 2, 1]
    assert [job.refresh().record.crashes for job in (before, victim, after)] == [0, 1, 0]


def test_only_a_worker_that_declares_a_program_runs_it(app: Windlass, new_app: Apps) -> None:
    """C11: no name that is stored is ever executed."""
    count = app.helper("counter", ["sh", str(COUNTER)]).task("count")
    job = count.enqueue()
    assert work(new_app(), queues=["default"]) == 0
    assert job.refresh().reason == "unknown_task"
