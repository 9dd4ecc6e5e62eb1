"""Stopping a worker from code; signals are in tests/worker."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Event, Thread

import pytest

from tests.ledger.apps import Apps, gate, until_interrupted, work
from tests.waiting import PATIENCE, eventually
from windlass import JobInterrupted, RetryableError, State, Windlass, current_job


def test_a_worker_that_stops_claims_no_more_and_finishes_what_runs(app: Windlass) -> None:
    """B7: what runs is finished within the grace time, what waits stays for others."""
    with gate() as busy:

        @app.task
        def slow() -> str:
            busy.wait()
            return "done"

        running = slow.enqueue()
        worker = app.worker(concurrency=1, grace=PATIENCE)
        worker.start()
        busy.await_entered()
        stopping = Thread(target=worker.stop)
        stopping.start()
        eventually(lambda: worker.status().state == "draining", "the worker drains")
        waiting = slow.enqueue()
        busy.open()
        stopping.join(PATIENCE)
        assert running.result(timeout=PATIENCE) == "done"
        assert waiting.refresh().state is State.PENDING


@pytest.mark.parametrize("grace", [0, "20ms"])
def test_what_does_not_finish_is_handed_back_uncharged(app: Windlass, new_app: Apps, grace: int | str) -> None:
    """B7: at once after the grace time; another worker runs it as its first attempt."""
    with gate() as busy:

        @app.task(name="slow")
        def slow() -> None:
            busy.wait()

        other = new_app()

        @other.task(name="slow")
        def quick() -> int:
            return current_job().attempt

        job = slow.enqueue()
        with app.worker(grace=grace):
            busy.await_entered()
        assert (job.refresh().state, job.attempt, job.errors) == (State.PENDING, 0, ())
        assert job.timeline()[-1].kind == "handed_back", "somebody who wonders why it runs again finds out"
        work(other)
        assert job.result() == 1


def test_a_last_attempt_is_handed_back_too(app: Windlass) -> None:
    """B7: a job with several attempts does not lose its last one to a shutdown."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            if current_job().attempt == 1:
                raise RetryableError("once more", delay=0)
            busy.wait()

        job = slow.options(attempts=2).enqueue()
        with app.worker(grace=0):
            busy.await_entered()
        assert (job.refresh().state, job.attempt) == (State.PENDING, 1)


def test_one_attempt_means_one_run_also_when_it_is_cut_off(app: Windlass) -> None:
    """B7, A10: with attempts=1 a run that had begun and did not end in time is failed(interrupted)."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        job = slow.options(attempts=1).enqueue()
        with app.worker(grace=0):
            busy.await_entered()
        assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "interrupted", 1)
        [error] = job.errors
        assert "its worker stopped it" in error.message


def test_a_coroutine_is_told_to_stop(app: Windlass) -> None:
    """B7: by cancellation, after the grace time; its job goes back."""
    with gate() as busy:
        cleaned_up = Event()

        @app.task
        async def for_ever() -> None:
            busy.entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                cleaned_up.set()

        job = for_ever.enqueue()
        with app.worker(grace=0):
            busy.await_entered()
        assert cleaned_up.is_set()
        assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_a_function_can_ask_whether_to_stop(app: Windlass) -> None:
    """B7: job.cancelled turns true and checkpoint() raises, so that a loop of its own can end early."""
    with gate() as busy:
        seen: list[object] = []

        @app.task
        def loop() -> None:
            job = current_job()
            busy.entered.set()
            until_interrupted()
            seen.append(job.cancelled)
            job.checkpoint()
            seen.append("not stopped")

        job = loop.enqueue()
        with app.worker(grace=0):
            busy.await_entered()
        eventually(lambda: seen, "the task learns of it")
        assert seen == [True]
        assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


def test_jobs_that_had_not_started_go_back(app: Windlass) -> None:
    """B7: whatever the worker holds beyond what runs is free at once."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        slow.options(attempts=1).enqueue_many([()] * 20)
        with app.worker(concurrency=2, grace=0):
            busy.await_entered()
        counts = app.counts()
        assert counts[State.PENDING] + counts[State.FAILED] == 20
        assert counts[State.FAILED] <= 2, "only those that had begun, which may run only once"
        assert counts[State.RUNNING] == 0


def test_an_urgent_stop_ends_the_grace_time(app: Windlass) -> None:
    """B7: what a second signal does."""
    with gate() as busy:
        is_urgent = Event()

        @app.task
        def slow() -> None:
            busy.wait()

        job = slow.enqueue()
        worker = app.worker(grace="1h")
        worker.start()
        busy.await_entered()
        stopping = Thread(target=lambda: worker.stop(is_urgent=is_urgent.is_set))
        stopping.start()
        eventually(lambda: worker.status().state == "draining", "the worker drains")
        is_urgent.set()
        stopping.join(PATIENCE)
        assert not stopping.is_alive()
        assert job.refresh().state is State.PENDING


def test_the_late_ending_of_a_job_that_went_back_is_dropped(app: Windlass) -> None:
    """B7: what an abandoned thread returns afterwards changes nothing."""
    with gate() as busy:
        left = Event()

        @app.task
        def slow() -> str:
            with suppress(JobInterrupted):  # it will not listen
                busy.wait()
            left.set()
            return "too late"

        job = slow.enqueue()
        with app.worker(grace=0):
            busy.await_entered()
        before = job.refresh().record
        busy.open()
        assert left.wait(PATIENCE)
        assert job.refresh().record == before
