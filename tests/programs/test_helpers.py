"""Programs that stay and answer."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.faults.process import Processes
from tests.ledger.apps import Apps, failure_of, work
from tests.programs import sample_helper
from tests.programs.running_programs import await_end, children, is_alive, number_in
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, Helper, State, Windlass

PROGRAM = [sys.executable, "-I", "-S", sample_helper.__file__]


@pytest.fixture
def helper(app: Windlass) -> Helper:
    return app.helper("test", PROGRAM)


def test_a_question_tells_about_the_job(app: Windlass, helper: Helper) -> None:
    job = helper.task("tell").enqueue(1, "a", when=datetime(2026, 1, 1, tzinfo=UTC))
    work(app)
    assert job.result(timeout=0)["question"] == {
        "task": "tell",
        "args": [1, "a"],
        "kwargs": {"when": "2026-01-01T00:00:00Z"},
        "id": job.id,
        "attempt": 1,
    }


def test_a_task_of_a_helper_is_like_any_other(app: Windlass, helper: Helper) -> None:
    task = helper.task("tell", queue="slow", priority=2, timeout="5m")
    job = task.options(delay="1h").enqueue()
    assert (job.task, job.queue, job.priority, job.record.timeout) == ("test.tell", "slow", 2, 300_000)
    assert task in app.tasks


def test_it_can_be_called_outside_a_job(app: Windlass, helper: Helper) -> None:
    """As every task can."""
    assert helper.task("tell")(1)["question"]["args"] == [1]


def test_jobs_share_processes_up_to_a_number(app: Windlass) -> None:
    task = app.helper("pair", PROGRAM, processes=2).task("tell")
    jobs = [task.enqueue() for _ in range(40)]
    with app.worker(concurrency=8):
        results = [job.result(timeout=PATIENCE) for job in jobs]
    assert 1 <= len({result["process"] for result in results}) <= 2
    assert max(result["answers"] for result in results) >= 20


def test_the_process_stays_between_workers(app: Windlass, helper: Helper) -> None:
    task = helper.task("tell")
    processes = []
    for _ in range(3):
        job = task.enqueue()
        work(app)
        processes.append(job.result(timeout=0)["process"])
    assert len(set(processes)) == 1


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        ({}, (State.RETRYING, None, "windlass.errors.HelperFailed")),
        ({"retry": False}, (State.FAILED, "permanent", "windlass.errors.PermanentError")),
        ({"delay": "10m"}, (State.RETRYING, None, "windlass.errors.RetryableError")),
    ],
)
def test_an_error_is_an_answer(
    app: Windlass, helper: Helper, answer: dict[str, Any], ending: tuple[State, str | None, str]
) -> None:
    """The process stays; what it wrote to stderr is in the log of the attempt."""
    tell, job = helper.task("tell"), helper.task("complain").enqueue(**answer)
    work(app)
    [fault] = job.refresh().errors
    assert (job.state, job.reason, fault.type) == ending
    assert fault.message == "it does not work"
    assert fault.log.endswith("first line\nsecond line")
    if answer.get("delay"):
        assert (job.run_at - job.created_at).total_seconds() > 500
    assert tell()["answers"] == 2


def test_it_may_ask_for_time(app: Windlass, helper: Helper) -> None:
    job = helper.task("snooze").enqueue()
    work(app)
    assert (job.refresh().state, job.attempt) == (State.SCHEDULED, 0)


@pytest.mark.parametrize(
    ("task", "args", "complaint"),
    [
        ("babble", (), "something that is no answer"),
        ("shrug", (), "neither result nor error nor snooze"),
        ("talk_at_once", (), "more than it was asked"),
        ("blow_up", (2_000_000,), "longer than line_limit"),
    ],
)
def test_what_is_no_answer_is_a_failed_attempt(
    app: Windlass, helper: Helper, task: str, args: tuple[Any, ...], complaint: str
) -> None:
    """And the process is replaced, for nobody knows what it will say next."""
    first = helper.task("tell")()["process"]
    job = helper.task(task).enqueue(*args)
    work(app)
    assert (job.refresh().state, job.attempt, job.record.crashes) == (State.RETRYING, 1, 0)
    assert complaint in job.errors[0].message
    assert not is_alive(first)
    assert helper.task("tell")()["process"] != first


def test_a_second_line_never_answers_the_next_job(app: Windlass, helper: Helper) -> None:
    for _ in range(5):
        helper.task("talk").options(attempts=1).enqueue()
        job = helper.task("tell").enqueue("mine")
        work(app)
        assert job.result(timeout=0)["question"]["args"] == ["mine"]


def test_a_death_is_a_crash_of_the_job_that_it_had(app: Windlass, helper: Helper) -> None:
    """Which fails after the third."""
    tell, die = helper.task("tell"), helper.task("die")
    before, victim, after = tell.enqueue(), die.enqueue(), tell.enqueue()
    with app.worker(concurrency=1):
        failed = failure_of(victim)
        results = [job.result(timeout=PATIENCE) for job in (before, after)]
    assert (failed.reason, failed.type) == ("crashed", "windlass.errors.HelperDied")
    assert failed.message == "helper 'test' exited with code 3 while it had this job"
    assert (victim.refresh().attempt, victim.record.crashes) == (3, 3)
    assert [job.refresh().attempt for job in (before, after)] == [1, 1]
    assert results[0]["process"] != results[1]["process"]


def test_one_that_has_left_costs_the_next_job_nothing(app: Windlass, helper: Helper) -> None:
    """A program may end by itself after an answer, to be started afresh."""
    task = helper.task("answer_and_leave")
    jobs = [task.enqueue() for _ in range(10)]
    with app.worker():
        assert len({job.result(timeout=PATIENCE) for job in jobs}) == 10
    assert [(job.refresh().attempt, job.record.crashes) for job in jobs] == [(1, 0)] * 10


def test_one_that_leaves_without_ever_answering_is_a_crash(app: Windlass, helper: Helper) -> None:
    job = helper.task("leave").options(attempts=1).enqueue()
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "crashed")


def test_the_time_limit_ends_the_process(app: Windlass, helper: Helper, tmp_path: Path) -> None:
    """And the next job gets a new one."""
    file, hang, tell = tmp_path / "pid", helper.task("hang"), helper.task("tell")
    with app.worker() as worker:
        failed = failure_of(hang.options(timeout=0.5, attempts=1).enqueue(str(file)))
        assert tell.enqueue().result(timeout=PATIENCE)["answers"] == 1
        assert worker.status().abandoned == 0
    assert failed.reason == "timeout"
    assert not is_alive(number_in(file))


def test_a_cancel_ends_the_process(app: Windlass, helper: Helper, tmp_path: Path) -> None:
    file, hang = tmp_path / "pid", helper.task("hang")
    with app.worker(lease=3):
        job = hang.enqueue(str(file))
        pid = number_in(file)
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
    await_end(pid)


def test_a_job_that_waits_for_a_process_can_be_cancelled(app: Windlass, helper: Helper, tmp_path: Path) -> None:
    hang, tell = helper.task("hang"), helper.task("tell")
    with app.worker(lease=3, grace=0) as worker:
        hang.enqueue(str(tmp_path / "pid"))
        number_in(tmp_path / "pid")
        second = tell.enqueue()
        eventually(lambda: worker.status().running == 2, "the second waits")
        second.cancel()
        assert second.wait(timeout=PATIENCE).state is State.CANCELLED


def test_a_program_that_is_not_there_is_a_failed_attempt(app: Windlass) -> None:
    job = app.helper("missing", ["no-such-program"]).task("do").enqueue()
    work(app)
    assert (job.refresh().state, job.attempt) == (State.RETRYING, 1)
    assert "no-such-program cannot be started here" in job.errors[0].message


def test_a_helper_gets_the_environment_of_its_worker(
    app: Windlass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is declared by the same code."""
    monkeypatch.setenv("OURS", "1")
    script = 'read -r question; echo "{\\"result\\": \\"$OURS $MORE $PWD\\"}"'
    task = app.helper("env", ["sh", "-c", script], env={"MORE": "2"}, cwd=str(tmp_path.resolve())).task("show")
    assert task() == f"1 2 {tmp_path.resolve()}"


def test_closing_the_app_ends_its_helpers(new_app: Apps) -> None:
    app, before = new_app(), children()
    process = app.helper("test", PROGRAM).task("tell")()["process"]
    app.close()
    assert not is_alive(process)
    assert children() == before


def test_no_helper_outlives_a_process_that_is_killed(app: Windlass, processes: Processes) -> None:
    worker = processes.start("warm")
    worker.await_line("ready")
    process = app.enqueue("answering.tell").result(timeout=PATIENCE)["process"]
    assert is_alive(process)
    worker.kill()
    await_end(process)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"argv": "sh x"}, "argv must be a list of words"),
        ({"argv": ["sh"], "processes": 0}, "processes must be a whole number"),
        ({"argv": ["sh"], "line_limit": 1}, "line_limit must be a whole number"),
        ({"argv": ["sh"], "procesess": 2}, "did you mean 'processes'"),
        ({"argv": ["sh"], "env": {"A": 1}}, "env: A"),
        ({"argv": ["other"]}, "declared twice"),
    ],
)
def test_what_is_no_program_is_refused(app: Windlass, helper: Helper, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        app.helper("test", **settings)
