"""Jobs of dead workers, as far as one process can show it; real deaths are in tests/faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, await_first_beat, failure_of, gate, work
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, Windlass
from windlass.testing import ManualClock


@contextmanager
def lost_worker(new_app: Apps, clock: ManualClock, job: Job[None]) -> Iterator[None]:
    """A worker that has begun the job and is not heard of any more; the block begins when its lease is over."""
    with gate() as stalled:
        app = new_app()

        @app.task(name="noop")
        def stalls() -> None:
            stalled.wait()

        with app.worker(duties=False, lease="30s"):
            eventually(lambda: job.refresh().started_at and job.state == "running", "the start is marked")
            await_first_beat(app)
            clock.advance("31s")
            yield
            stalled.open()


@pytest.fixture
def job(app: Windlass) -> Job[None]:
    @app.task(name="noop")
    def noop() -> None: ...

    return noop.enqueue()


def test_a_worker_that_starts_finds_the_jobs_of_a_dead_one(
    app: Windlass, new_app: Apps, clock: ManualClock, job: Job[None]
) -> None:
    """A9: at start-up; the job runs again and the timeline shows why."""
    with lost_worker(new_app, clock, job), app.worker(lease=LONG_LEASE):
        job.wait(timeout=PATIENCE)
    assert (job.state, job.attempt) == (State.COMPLETED, 2)
    kinds = [entry.kind for entry in job.timeline()]
    assert "rescued" in kinds
    assert kinds.index("rescued") < kinds.index("completed")


def test_a_worker_that_runs_finds_the_jobs_of_a_dead_one(
    app: Windlass, new_app: Apps, clock: ManualClock, job: Job[None]
) -> None:
    """A9: while running, without being told."""
    job.cancel()
    with app.worker(queues=["other"], lease=LONG_LEASE):
        job.retry()
        with lost_worker(new_app, clock, job):
            eventually(lambda: job.refresh().state == "pending", "the running worker rescues it")


def test_a_run_that_had_started_is_charged(app: Windlass, new_app: Apps, clock: ManualClock, job: Job[None]) -> None:
    """A9: one attempt, with an error that says what happened."""
    with lost_worker(new_app, clock, job):
        [rescued] = app.rescue()
    assert (rescued.id, rescued.state) == (job.id, State.PENDING)
    job.refresh()
    assert (job.attempt, job.record.crashes) == (1, 1)
    [error] = job.errors
    assert "was lost" in error.message


def test_a_job_that_crashed_its_worker_three_times_is_failed(
    app: Windlass, new_app: Apps, clock: ManualClock, job: Job[None]
) -> None:
    """A9: with the reason crashed, although it has attempts left."""
    states = []
    for _ in range(3):
        with lost_worker(new_app, clock, job):
            states += [rescued.state for rescued in app.rescue()]
    assert states == [State.PENDING, State.PENDING, State.FAILED]
    assert job.refresh().attempt < job.max_attempts
    assert failure_of(job).reason == "crashed"
    assert len(job.errors) == 3


def test_a_last_attempt_that_was_lost_is_not_run_again(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """A9: attempts=1 means at most one run, also across a crash."""

    @app.task(name="noop")
    def noop() -> None: ...

    job = noop.options(attempts=1).enqueue()
    with lost_worker(new_app, clock, job):
        app.rescue()
    assert work(app, lease=LONG_LEASE) == 0
    assert (job.refresh().state, job.reason) == (State.FAILED, "crashed")


def test_a_job_in_time_is_left_alone(app: Windlass, new_app: Apps, clock: ManualClock, job: Job[None]) -> None:
    """A9: nobody rescues what its owner still holds."""
    with gate() as busy:
        owner = new_app()

        @owner.task(name="noop")
        def slow() -> None:
            busy.wait()

        with owner.worker(lease="30s"):
            busy.await_entered()
            clock.advance("29s")
            assert app.rescue() == []
            busy.open()
            assert job.wait(timeout=PATIENCE).state is State.COMPLETED
