"""manual and drain: jobs are collected, and run when the test says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import current_thread

import pytest

from windlass import JobFailed, PermanentError, Retry, State, Windlass, command, current_job
from windlass.testing import ManualClock, assert_enqueued, drain, manual


def test_jobs_are_collected_in_order(windlass_app: Windlass) -> None:
    @windlass_app.task(name="note")
    def note(text: str) -> None: ...

    note.enqueue("before")
    with manual(windlass_app) as jobs:
        assert list(jobs) == []
        first = note.enqueue("a")
        rest = note.enqueue_many([("b",), ("c",)])
        assert list(jobs) == [first, *rest]
        assert (len(jobs), jobs[0], jobs[1:]) == (3, first, rest)
    note.enqueue("after")
    assert repr(jobs).startswith(f"[<Job {first.id}")


def test_jobs_are_found_by_their_tags(windlass_app: Windlass) -> None:
    """B37: as in the app's own store."""
    with manual(windlass_app) as jobs:
        windlass_app.enqueue_many([windlass_app.request("anything", tags=[tag]) for tag in ("a", "b")])
        assert windlass_app.jobs(tag="b") == [jobs[1]]


def test_more_than_a_page_is_collected(windlass_app: Windlass) -> None:
    with manual(windlass_app) as jobs:
        windlass_app.enqueue_many([windlass_app.request("anything")] * 1200)
        assert len(jobs) == 1200


def test_nothing_runs_until_drain(windlass_app: Windlass) -> None:
    runs: list[str] = []

    @windlass_app.task
    def note() -> None:
        runs.append(current_thread().name)

    with windlass_app.worker(), manual(windlass_app):
        note.enqueue_many([()] * 5)
        assert runs == []
        assert drain(windlass_app) == 5
        assert runs == [current_thread().name] * 5


def test_a_worker_that_is_made_meanwhile_rests_too(windlass_app: Windlass) -> None:
    @windlass_app.task
    def noop() -> None: ...

    with manual(windlass_app):
        worker = windlass_app.worker()
        worker.start()
        job = noop.enqueue()
        assert worker.status().state == "paused"
        assert drain(windlass_app) == 1
    assert worker.is_stopped
    assert job.result() is None


def test_a_worker_that_is_told_to_run_everything_does(windlass_app: Windlass) -> None:
    """As for commands, which drain does not run."""
    with manual(windlass_app):
        job = windlass_app.enqueue(command(["echo", "hello"]))
        windlass_app.worker(allow_commands=True).run_until_empty()
    assert job.result()["stdout"] == "hello\n"


def test_a_worker_that_was_paused_stays_so(windlass_app: Windlass) -> None:
    @windlass_app.task
    def noop() -> None: ...

    with windlass_app.worker() as worker:
        worker.pause()
        with manual(windlass_app), manual(windlass_app):
            pass
        assert worker.status().state == "paused"


def test_drain_runs_what_jobs_enqueue(windlass_app: Windlass) -> None:
    @windlass_app.task(name="count_down")
    def count_down(number: int) -> None:
        if number:
            count_down.options(queue=f"queue-{number}").enqueue(number - 1)

    count_down.enqueue(5)
    assert drain(windlass_app) == 6
    assert drain(windlass_app) == 0


def test_drain_goes_by_priority_and_age(windlass_app: Windlass) -> None:
    order: list[int] = []

    @windlass_app.task
    def note(number: int) -> None:
        order.append(number)

    note.enqueue_many([(1,), (2,)])
    note.options(priority=9).enqueue(0)
    drain(windlass_app)
    assert order == [0, 1, 2]


def test_drain_raises_the_first_failure_after_all_have_run(windlass_app: Windlass) -> None:
    runs: list[str] = []

    @windlass_app.task
    def refuse(text: str) -> None:
        runs.append(text)
        if text:
            raise PermanentError(text)

    first, *_ = refuse.enqueue_many([("first",), ("second",), ("",)])
    with pytest.raises(JobFailed, match="first") as raised:
        drain(windlass_app)
    assert (raised.value.id, raised.value.message) == (first.id, "first")
    assert runs == ["first", "second", ""]
    assert drain(windlass_app) == 0


def test_an_attempt_that_is_to_be_repeated_is_no_failure_yet(
    windlass_app: Windlass, windlass_clock: ManualClock
) -> None:
    @windlass_app.task(retry=Retry(attempts=2, base="1m", jitter=0))
    def fail() -> None:
        raise OSError("broken")

    job = fail.enqueue()
    assert drain(windlass_app) == 1
    assert job.refresh().state is State.RETRYING
    windlass_clock.advance("59s")
    assert drain(windlass_app) == 0
    windlass_clock.advance("1s")
    with pytest.raises(JobFailed, match="broken"):
        drain(windlass_app)


def test_drain_follows_the_queue_s_rule(windlass_app: Windlass, windlass_clock: ManualClock) -> None:
    windlass_app.queue("default").configure(retry=Retry(base="7m", jitter=0, backoff="fixed", cap="1h"))

    @windlass_app.task
    def fail() -> None:
        raise OSError

    job = fail.enqueue()
    drain(windlass_app)
    assert (job.refresh().run_at - windlass_clock.now()).total_seconds() == 420


def test_drain_leaves_paused_queues_alone(windlass_app: Windlass) -> None:
    @windlass_app.task
    def noop() -> None: ...

    noop.enqueue()
    windlass_app.queue("default").pause()
    assert drain(windlass_app) == 0


def test_drain_works_inside_a_running_loop(windlass_app: Windlass) -> None:
    @windlass_app.task
    async def answer() -> int:
        return current_job().attempt

    async def test() -> int:
        job = await answer.aenqueue()
        drain(windlass_app)
        return await job.aresult()

    assert asyncio.run(test()) == 1


def test_a_test_may_move_the_clock_inside_a_task(windlass_app: Windlass, windlass_clock: ManualClock) -> None:
    @windlass_app.task
    def slow() -> str:
        windlass_clock.advance("1h")
        return "done"

    job = slow.enqueue()
    assert drain(windlass_app) == 1
    assert job.result() == "done"


def test_commands_are_not_run(windlass_app: Windlass, tmp_path: Path) -> None:
    """C11: a test starts no program that it did not ask for; the job is charged nothing and says why it waits."""
    with manual(windlass_app):
        job = windlass_app.enqueue(command(["touch", str(tmp_path / "ran")]))
        assert drain(windlass_app) == 0
        assert assert_enqueued(windlass_app, "windlass.command", ["touch", str(tmp_path / "ran")]) == job
    assert "--allow-commands" in job.refresh().why()
    assert (job.attempt, (tmp_path / "ran").exists()) == (0, False)
