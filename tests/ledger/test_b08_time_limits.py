"""B8: time limits, on every kind of task."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, failure_of, gate, work
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.tasks import isolated
from windlass import Job, Retry, State, Windlass
from windlass.testing import ManualClock

KINDS = ["async", "thread", "process"]


@pytest.fixture
def never(tmp_path: Path) -> Iterator[Event]:
    """Not set while the test runs; afterwards it lets go of threads that were left behind."""
    made = Event()
    yield made
    made.set()


@pytest.fixture
def app(new_app: Apps, never: Event) -> Windlass:
    """Has a task of each kind that runs for ever, and stops when it is told to."""
    app = new_app(retry=Retry(base=60, jitter=0))
    isolated(app)

    @app.task(name="async")
    async def forever() -> None:
        await asyncio.Event().wait()

    @app.task(name="thread")
    def loop() -> None:
        while not never.wait(0.001):
            pass

    return app


def enqueue(app: Windlass, kind: str, folder: Path, **options: Any) -> Job[None]:
    if kind == "process":
        return app.enqueue_many([app.request("wait_for", [str(folder / "never")], **options)])[0]
    return app.enqueue_many([app.request(kind, [], **options)])[0]


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_takes_too_long_is_one_failed_attempt(
    app: Windlass, clock: ManualClock, tmp_path: Path, kind: str
) -> None:
    """B8: with TimeoutError, under the retry rules; when the attempts are used up the reason is timeout."""
    with app.worker(lease=LONG_LEASE):
        job = enqueue(app, kind, tmp_path, timeout=0.2, attempts=2)
        eventually(lambda: job.refresh().state is State.RETRYING, "the first attempt fails")
        assert (job.attempt, [fault.type for fault in job.errors]) == (1, ["TimeoutError"])
        clock.advance("61s")
        failed = failure_of(job)
    assert (failed.type, failed.reason, failed.message) == ("TimeoutError", "timeout", "ran longer than 0.2 s")
    assert job.refresh().attempt == 2


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(("kind", "line"), [("async", "await asyncio.Event().wait()"), ("thread", "never.wait(0.001)")])
def test_the_error_tells_where_the_run_was(app: Windlass, tmp_path: Path, kind: str, line: str) -> None:
    """B8: a child is ended from outside, and cannot tell."""
    with app.worker(lease=LONG_LEASE):
        failed = failure_of(enqueue(app, kind, tmp_path, timeout=0.2, attempts=1))
    assert failed.traceback is not None
    assert line in failed.traceback
    assert failed.traceback.endswith("TimeoutError: ran longer than 0.2 s\n")


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("kind", KINDS)
def test_the_slot_is_free_again(app: Windlass, tmp_path: Path, kind: str) -> None:
    """B8: and the same worker goes on."""
    with app.worker(concurrency=1, children=1, lease=LONG_LEASE) as worker:
        first = enqueue(app, kind, tmp_path, timeout=0.2, attempts=1)
        second = enqueue(app, kind, tmp_path, timeout=0.2, attempts=1)
        assert {failure_of(first).reason, failure_of(second).reason} == {"timeout"}
        assert worker.status().abandoned == 0


def test_the_limit_is_half_an_hour_unless_task_or_job_say_otherwise(app: Windlass) -> None:
    """B8: default 30 min, per task and per job, None for no limit."""

    @app.task(timeout="2m")
    def brief() -> None: ...

    @app.task(timeout=None)
    def unlimited() -> None: ...

    jobs = [
        app.enqueue("thread"),
        brief.enqueue(),
        brief.options(timeout="5s").enqueue(),
        brief.options(timeout=None).enqueue(),
        unlimited.enqueue(),
    ]
    assert [job.refresh().record.timeout for job in jobs] == [1_800_000, 120_000, 5_000, None, None]


@pytest.mark.only_on("sqlite")
def test_a_run_may_ask_for_more_time(app: Windlass) -> None:
    """B8: job.extend() is for the run that calls it."""
    isolated_job = app.enqueue_many([app.request("extends", [], timeout=2, attempts=1)])[0]
    with app.worker(children=1, lease=LONG_LEASE):
        assert isolated_job.result(timeout=PATIENCE) == "done"


@pytest.mark.only_on("sqlite")
def test_threads_that_will_not_stop_are_left_behind_and_after_three_the_worker_goes(app: Windlass) -> None:
    """B8: each is replaced, its job fails at once; then a fresh process has to take over, and nothing is claimed."""
    with gate() as stuck:

        @app.task(timeout=0.05)
        def hang() -> None:
            stuck.wait()

        with app.worker(concurrency=1, stop_patience="100ms", lease=LONG_LEASE) as worker:
            jobs = [hang.enqueue() for _ in range(3)]
            assert {failure_of(job).reason for job in jobs} == {"timeout"}
            assert {job.refresh().attempt for job in jobs} == {1}
            eventually(lambda: worker.wants_restart and worker.state == "paused", "it claims no more")
            left = app.enqueue("echo", 1)
            assert worker.status().abandoned == 3
    assert left.refresh().state is State.PENDING
    assert work(app) == 1
