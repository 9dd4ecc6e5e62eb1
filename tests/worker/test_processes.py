"""Jobs in child processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.ledger.apps import failure_of
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import ConfigError, JobCancelled, State, Windlass

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


@pytest.fixture
def crew(app: Windlass) -> Windlass:
    """An app whose tasks run in children."""
    isolated(app)
    return app


def test_a_job_runs_in_a_child(crew: Windlass) -> None:
    """B6: isolation="process"."""
    with crew.worker(children=1):
        child, parent = enqueue(crew, "where").result(timeout=PATIENCE)
        assert (parent, child != parent) == (os.getpid(), True)
        assert enqueue(crew, "where").result(timeout=PATIENCE) == (child, parent), "it stays warm"
        assert enqueue(crew, "awhere").result(timeout=PATIENCE) == child, "coroutines too"
    eventually(lambda: not Path(f"/proc/{child}").exists(), "the child ends with its worker")


def test_many_jobs_are_shared_by_the_children(crew: Windlass) -> None:
    with crew.worker(concurrency=8, children=2):
        jobs = crew.enqueue_many([crew.request("echo", [number]) for number in range(500)])
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(500))


def test_what_a_job_raises_comes_back(crew: Windlass) -> None:
    with crew.worker(children=1):
        failed = failure_of(enqueue(crew, "broken", "bad luck", attempts=1))
    assert (failed.type, failed.message) == ("ValueError", "bad luck")
    assert "tasks.py" in (failed.traceback or "")


def test_the_running_job_is_known_in_the_child(crew: Windlass) -> None:
    """A2: with progress."""
    with crew.worker(children=1):
        job = enqueue(crew, "facts", meta={"tenant": "a"})
        told = job.result(timeout=PATIENCE)
    assert told == {"id": job.id, "attempt": 1, "fence": job.refresh().fence, "meta": {"tenant": "a"}, "same": True}
    assert job.progress is not None
    assert (job.progress.value, job.progress.text) == (0.5, "half way")


def test_progress_is_told_as_often_as_a_task_likes(crew: Windlass) -> None:
    """A2: the newest counts, and the last word is never lost."""
    with crew.worker(children=1):
        job = enqueue(crew, "tells_all", 2_000)
        job.result(timeout=PATIENCE)
    assert job.refresh().progress is not None
    assert (job.progress.value, job.progress.text) == (1.0, "step 2000")


def test_a_task_that_is_interrupted_by_its_own_alarms_while_it_reports_goes_on(crew: Windlass) -> None:
    with crew.worker(children=1):
        job = enqueue(crew, "reports_under_alarms", 200, attempts=1)
        assert job.result(timeout=PATIENCE) == "rung"


def test_an_alarm_that_a_job_leaves_does_not_go_off_in_the_next_one(crew: Windlass) -> None:
    with crew.worker(children=1):
        child = enqueue(crew, "leaves_an_alarm", 60.0).result(timeout=PATIENCE)
        assert enqueue(crew, "has_an_alarm").result(timeout=PATIENCE) == (child, False)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("task", "argument", "how"),
    [
        ("kill", int(signal.SIGKILL), "was killed by SIGKILL"),
        ("kill", int(signal.SIGSEGV), "was killed by SIGSEGV"),
        ("kill", int(signal.SIGABRT), "was killed by SIGABRT"),
        ("leave", 3, "exited with code 3"),
    ],
)
def test_a_death_is_charged_to_the_job_that_died(crew: Windlass, task: str, argument: int, how: str) -> None:
    """A9, W5: at once, with what happened; three times and it has failed."""
    with crew.worker(children=1):
        failed = failure_of(enqueue(crew, task, argument, attempts=10))
    assert (failed.reason, failed.type) == ("crashed", "windlass.ProcessDied")
    assert how in (failed.message or "")


def test_neighbours_of_a_poison_job_lose_nothing(crew: Windlass) -> None:
    """P1: their attempts are their own."""
    with crew.worker(concurrency=10, children=2):
        jobs = [enqueue(crew, "echo", number) for number in range(30)]
        poison = enqueue(crew, "kill", int(signal.SIGKILL), priority=5)
        jobs += [enqueue(crew, "echo", number) for number in range(30, 60)]
        assert failure_of(poison).reason == "crashed"
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(60))
    assert {(job.refresh().attempt, len(job.errors)) for job in jobs} == {(1, 0)}
    assert poison.refresh().attempt == 3


def test_a_job_whose_time_is_over_is_interrupted(crew: Windlass, tmp_path: Path) -> None:
    """B8: and cleans up; the child lives on."""
    with crew.worker(children=1):
        child, _ = enqueue(crew, "where").result(timeout=PATIENCE)
        job = enqueue(crew, "wait_for", str(tmp_path / "never"), str(tmp_path / "cleaned"), timeout=1, attempts=1)
        failed = failure_of(job)
        assert (failed.type, failed.reason) == ("TimeoutError", "timeout")
        assert (tmp_path / "cleaned").exists()
        assert enqueue(crew, "where").result(timeout=PATIENCE)[0] == child


def test_a_job_is_interrupted_by_its_first_signal_also_right_after_another_one_was(
    crew: Windlass, tmp_path: Path
) -> None:
    with crew.worker(children=1):
        files = [tmp_path / str(number) for number in range(4)]
        jobs = [enqueue(crew, "counts_signals", str(file), timeout=0.2, attempts=1) for file in files]
        assert [failure_of(job).reason for job in jobs] == ["timeout"] * 4
    assert [file.read_text() for file in files] == ["1"] * 4


def test_a_job_that_will_not_stop_is_killed(crew: Windlass, tmp_path: Path) -> None:
    """B8: SIGTERM, then SIGKILL; nothing is abandoned."""
    with crew.worker(children=1) as worker:
        failed = failure_of(enqueue(crew, "deaf", str(tmp_path / "deaf"), timeout=0.1, attempts=1))
        assert (failed.type, failed.reason) == ("TimeoutError", "timeout")
        assert enqueue(crew, "echo", 1).result(timeout=PATIENCE) == 1
        assert worker.status().abandoned == 0


def test_a_cancelled_job_stops(crew: Windlass, tmp_path: Path) -> None:
    """C5: process jobs too."""
    with crew.worker(children=1):
        job = enqueue(crew, "wait_for", str(tmp_path / "never"))
        eventually((tmp_path / "never.begun").exists, "it runs")
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)


def test_a_long_job_does_not_hold_up_those_behind_it(crew: Windlass, tmp_path: Path) -> None:
    """Orders that a child has not begun are recalled."""
    with crew.worker(concurrency=6, children=2):
        assert [enqueue(crew, "echo", n).result(timeout=PATIENCE) for n in range(20)] == list(range(20))
        crew.enqueue_many(
            [crew.request("wait_for", [str(tmp_path / "gate")], priority=1)]
            + [crew.request("echo", [number], id=f"e{number}") for number in range(5)]
        )
        assert [crew.job(f"e{number}").result(timeout=PATIENCE) for number in range(5)] == list(range(5))
        (tmp_path / "gate").touch()


def test_a_child_is_replaced_after_so_many_jobs(crew: Windlass) -> None:
    """B11: between jobs."""
    with crew.worker(children=1, child_max_jobs=3):
        children = [enqueue(crew, "where").result(timeout=PATIENCE)[0] for _ in range(7)]
    assert len(set(children)) == 3
    assert children == sorted(children, key=children.index)


def test_a_child_that_grew_too_large_is_replaced(crew: Windlass) -> None:
    """B11: above a memory limit."""
    with crew.worker(children=1, child_max_memory="150MB"):
        large = enqueue(crew, "leak", 200).result(timeout=PATIENCE)
        eventually(lambda: enqueue(crew, "leak", 0).result(timeout=PATIENCE) != large, "another child takes its place")


def test_a_stop_hands_running_jobs_back(crew: Windlass, tmp_path: Path) -> None:
    """B7: uncharged."""
    with crew.worker(children=1, grace=0):
        job = enqueue(crew, "wait_for", str(tmp_path / "never"))
        eventually((tmp_path / "never.begun").exists, "it runs")
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_a_function_that_no_other_process_can_find_is_refused(app: Windlass) -> None:
    def local() -> None: ...

    with pytest.raises(ConfigError, match="top level of a module"):
        app.task(isolation="process")(local)
