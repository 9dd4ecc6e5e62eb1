"""Threads that have to stop: by an exception raised in them, or, if nothing helps, without them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from threading import Event

import pytest

from tests.ledger.apps import failure_of, gate
from tests.waiting import PATIENCE, eventually
from windlass import JobCancelled, JobInterrupted, State, Windlass

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


def busily(until: Event) -> None:
    """User code that never waits in C for long."""
    while not until.wait(0.001):
        pass


@pytest.fixture
def never() -> Iterator[Event]:
    """Not set while the test runs; afterwards it lets go of threads that were left behind."""
    made = Event()
    yield made
    made.set()


def test_a_thread_that_takes_too_long_is_interrupted(app: Windlass, never: Event) -> None:
    """B8: one failed attempt with TimeoutError under the retry rules."""
    cleaned = Event()

    @app.task(timeout=0.05)
    def loop() -> None:
        try:
            busily(never)
        finally:
            cleaned.set()

    with app.worker() as worker:
        failed = failure_of(loop.options(attempts=1).enqueue())
        assert cleaned.is_set()
        retried = loop.enqueue()
        eventually(lambda: retried.refresh().state is State.RETRYING, "the attempt fails")
        assert worker.status().abandoned == 0
    assert (failed.type, failed.reason, failed.message) == ("TimeoutError", "timeout", "ran longer than 0.05 s")


def test_except_exception_does_not_swallow_it(app: Windlass, never: Event) -> None:
    caught: list[type[BaseException]] = []

    @app.task(timeout=0.05)
    def stubborn() -> None:
        try:
            busily(never)
        except Exception:
            busily(never)
        except BaseException as error:
            caught.append(type(error))
            raise

    with app.worker():
        assert failure_of(stubborn.options(attempts=1).enqueue()).reason == "timeout"
    assert caught == [JobInterrupted]


def test_a_thread_that_swallows_it_is_asked_again(app: Windlass, never: Event) -> None:
    """B8: and not abandoned if it stops at last."""
    asked: list[int] = []

    @app.task(timeout=0.05)
    def deaf() -> None:
        while len(asked) < 2:
            try:
                busily(never)
            except JobInterrupted:
                asked.append(len(asked))
        busily(never)

    with app.worker() as worker:
        assert failure_of(deaf.options(attempts=1).enqueue()).reason == "timeout"
        assert worker.status().abandoned == 0
    assert asked == [0, 1]


def test_a_thread_that_will_not_stop_is_abandoned_and_replaced(
    app: Windlass, never: Event, caplog: pytest.LogCaptureFixture
) -> None:
    """B8: counted, shown, replaced; its job is not run again, for it may still be at work."""
    with gate() as stuck:

        @app.task(timeout=0.05)
        def hang() -> None:
            stuck.wait()

        @app.task
        def echo() -> str:
            return threading.current_thread().name

        with app.worker(concurrency=1, stop_patience=0.2) as worker:
            job = hang.enqueue()
            failed = failure_of(job)
            assert echo.enqueue().result(timeout=PATIENCE)
            assert worker.status().abandoned == 1
            assert worker.status().running == 0
            [entry] = [entry for entry in job.timeline() if entry.kind == "abandoned"]
            assert (entry.worker, entry.detail["why"]) == (worker.name, "its time was over")
    assert (failed.type, failed.reason, job.refresh().attempt) == ("TimeoutError", "timeout", 1)
    assert "going on without it" in caplog.text


def test_its_job_is_retried_only_if_the_task_allows_it(app: Windlass) -> None:
    with gate() as stuck:

        @app.task(timeout=0.05, retry_abandoned=True)
        def hang() -> None:
            stuck.wait()

        with app.worker(stop_patience=0.1):
            job = hang.enqueue()
            eventually(lambda: job.refresh().state is State.RETRYING, "it may run again")


def test_after_three_the_worker_claims_no_more(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """B8: it wants to be replaced by a fresh process."""
    with gate() as stuck:

        @app.task(timeout=0.05)
        def hang() -> None:
            stuck.wait()

        with app.worker(stop_patience=0.1) as worker:
            for _ in range(3):
                assert not worker.wants_restart
                failure_of(hang.enqueue())
            eventually(lambda: worker.state == "paused", "it claims no more")
            assert worker.wants_restart
    assert "fresh process" in caplog.text


def test_a_cancelled_thread_stops(app: Windlass, never: Event) -> None:
    """C5: threads too."""

    @app.task
    def loop() -> None:
        busily(never)

    with app.worker() as worker:
        job = loop.enqueue()
        eventually(lambda: worker.status().running == 1, "it runs")
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)


def test_what_returns_on_time_is_never_disturbed(app: Windlass) -> None:
    """The exception is raised in user code of that very run, or nowhere."""

    @app.task(timeout=0.01)
    def brief(number: int) -> int:
        until = Event()
        until.wait(0.0099)
        return number

    @app.task
    def after() -> int:
        return sum(range(200))

    with app.worker(concurrency=4):
        close = [brief.options(attempts=1).enqueue(number) for number in range(200)]
        quiet = [after.options(attempts=1).enqueue() for _ in range(200)]
        assert {job.result(timeout=PATIENCE) for job in quiet} == {sum(range(200))}
        for job in close:
            job.wait(timeout=PATIENCE)
    assert {job.refresh().reason for job in close} <= {None, "timeout"}
