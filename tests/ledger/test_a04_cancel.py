"""Cancelling what waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ledger.apps import work
from tests.places.place import Place
from windlass import Job, JobNotFound, State, Windlass


def pending(app: Windlass) -> Job[Any]:
    return app.enqueue(app.tasks[0])


def scheduled(app: Windlass) -> Job[Any]:
    return app.tasks[0].options(delay="1h").enqueue()


def retrying(app: Windlass) -> Job[Any]:
    job = app.tasks[0].enqueue(fails=True)
    work(app)
    return job


def completed(app: Windlass) -> Job[Any]:
    job = app.tasks[0].enqueue()
    work(app)
    return job


def failed(app: Windlass) -> Job[Any]:
    job = app.tasks[0].options(attempts=1).enqueue(fails=True)
    work(app)
    return job


def cancelled(app: Windlass) -> Job[Any]:
    job = app.tasks[0].enqueue()
    job.cancel()
    return job


@pytest.fixture(autouse=True)
def _task(app: Windlass) -> None:
    @app.task
    def noop(*, fails: bool = False) -> None:
        if fails:
            raise OSError("broken")


@pytest.mark.parametrize("waiting", [pending, scheduled, retrying])
def test_a_job_that_waits_is_cancelled(app: Windlass, waiting: Callable[[Windlass], Job[Any]]) -> None:
    """A4: cancel() says True, and the job never runs again."""
    job = waiting(app)
    attempts_before = job.refresh().attempt
    assert job.state == waiting.__name__
    assert job.cancel() is True
    work(app)
    job.refresh()
    assert (job.state, job.attempt) == (State.CANCELLED, attempts_before)
    assert job.finished_at is not None


def test_a_blocked_job_is_cancelled(app: Windlass, place: Place) -> None:
    """A4: so is one that waits for others."""
    job = pending(app)
    place.force(job.id, "blocked")
    assert job.cancel() is True
    assert job.refresh().state is State.CANCELLED


@pytest.mark.parametrize("finished", [completed, failed, cancelled])
def test_cancelling_what_is_finished_changes_nothing(app: Windlass, finished: Callable[[Windlass], Job[Any]]) -> None:
    """A4: cancel() says False; neither the job nor its timeline changes."""
    job = finished(app)
    before, told = job.refresh().record, job.timeline()
    assert job.state == finished.__name__
    assert job.cancel() is False
    assert job.refresh().record == before
    assert job.timeline() == told


def test_who_cancelled_and_why_is_told(app: Windlass) -> None:
    """A4: the timeline names them."""
    job = pending(app)
    job.cancel(by="ada", reason="wrong address")
    entry = next(entry for entry in job.timeline() if entry.detail.get("by"))
    assert (entry.kind, entry.detail) == ("cancelled", {"by": "ada", "reason": "wrong address"})


def test_cancelling_through_the_app(app: Windlass) -> None:
    """A4: by id; an unknown one is JobNotFound."""
    job = pending(app)
    assert app.cancel(job.id) is True
    assert app.cancel(job.id) is False
    with pytest.raises(JobNotFound, match="nobody"):
        app.cancel("nobody")


def test_cancelling_all_of_a_state(app: Windlass) -> None:
    """A4: in one call, and only those that match."""
    kept = scheduled(app)
    gone = [pending(app) for _ in range(3)]
    assert app.cancel_all(state="pending") == 3
    assert [job.refresh().state for job in gone] == [State.CANCELLED] * 3
    assert kept.refresh().state is State.SCHEDULED


@pytest.mark.asyncio
async def test_async_code_cancels_too(app: Windlass) -> None:
    """A4: the same answers."""
    job = await app.aenqueue(app.tasks[0])
    assert await job.acancel() is True
    assert await app.acancel(job.id) is False
