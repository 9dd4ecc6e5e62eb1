"""Asking for a job by its id."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import LONG_LEASE, gate, work
from tests.waiting import PATIENCE
from windlass import JobNotFound, Progress, State, Windlass, current_job
from windlass.testing import ManualClock


def test_a_job_that_waits_shows_what_was_asked(app: Windlass, clock: ManualClock) -> None:
    """A2: state, queue, attempts used and allowed, creation and next run are there from the start."""

    @app.task(name="noop", queue="mail")
    def noop() -> None: ...

    job = app.job(noop.options(delay="10m", attempts=3).enqueue().id)
    assert (job.task, job.queue, job.state, job.done) == ("noop", "mail", State.SCHEDULED, False)
    assert (job.attempt, job.max_attempts) == (0, 3)
    assert (job.created_at, job.run_at) == (clock.now(), clock.now() + timedelta(minutes=10))
    assert (job.started_at, job.finished_at, job.worker, job.progress) == (None, None, None, Progress())


def test_a_job_that_runs_shows_its_worker_and_progress(app: Windlass) -> None:
    """A2: while it runs, everybody can see where, since when and how far."""
    with gate() as halfway:

        @app.task
        def long() -> None:
            current_job().progress(0.4, "half way")
            halfway.wait()

        job = long.options(attempts=1).enqueue()  # a last attempt is known to have started before it does
        with app.worker(name="alpha", version="7", id="3"):
            halfway.await_entered()
            seen = app.job(job.id)
            assert (seen.state, seen.worker) == (State.RUNNING, "alpha-worker-7-3")
            assert seen.progress == Progress(0.4, "half way")
            assert seen.started_at is not None
            assert seen.finished_at is None
            halfway.open()
            job.wait(timeout=PATIENCE)


def test_a_job_that_finished_shows_when_and_with_what(app: Windlass, clock: ManualClock) -> None:
    """A2: result, attempts used, started and finished times."""

    @app.task
    def work_for_a_minute() -> str:
        clock.advance("1m")
        return "done"

    begun = clock.now()
    job = work_for_a_minute.enqueue()
    work(app, lease=LONG_LEASE)
    job = app.job(job.id)
    assert (job.state, job.done, job.attempt) == (State.COMPLETED, True, 1)
    assert job.result() == "done"
    assert job.created_at == begun
    assert job.started_at is not None
    assert job.finished_at == begun + timedelta(minutes=1)


def test_a_job_that_failed_shows_why(app: Windlass) -> None:
    """A2: the error with its type, message and traceback, and the reason."""

    @app.task
    def fail() -> None:
        raise LookupError("no such user")

    job = fail.options(attempts=1).enqueue()
    work(app)
    job = app.job(job.id)
    assert (job.state, job.reason, job.attempt, job.max_attempts) == (State.FAILED, "attempts", 1, 1)
    [error] = job.errors
    assert (error.type, error.message) == ("LookupError", "no such user")
    assert 'raise LookupError("no such user")' in error.traceback


def test_a_handle_is_a_snapshot(app: Windlass) -> None:
    """A2: what it shows changes with refresh() only."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue().refresh()
    work(app)
    assert job.state is State.PENDING
    assert job.refresh().state is State.COMPLETED


def test_handles_of_the_same_job_are_equal(app: Windlass) -> None:
    """A2: a job found by its id is the job that was enqueued."""

    @app.task
    def noop() -> None: ...

    job, other = noop.enqueue(), noop.enqueue()
    assert app.job(job.id) == job != other
    assert {job, app.job(job.id)} == {job}


def test_an_unknown_id_is_not_found(app: Windlass) -> None:
    """A2: JobNotFound names the id."""
    with pytest.raises(JobNotFound, match="'nobody'"):
        app.job("nobody")


def test_a_deleted_job_is_not_found(app: Windlass) -> None:
    """A2: the handle of a job that is gone says so when it is read anew."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    job.delete()
    with pytest.raises(JobNotFound, match=job.id):
        job.refresh()


@pytest.mark.asyncio
async def test_async_code_looks_jobs_up_too(app: Windlass) -> None:
    """A2: the same answers from the async forms."""

    @app.task
    def noop() -> None: ...

    job = await noop.aenqueue()
    assert (await app.ajob(job.id)).state is State.PENDING
    assert (await job.arefresh()).queue == "default"
    with pytest.raises(JobNotFound):
        await app.ajob("nobody")
