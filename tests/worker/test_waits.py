"""Jobs that wait for events, in workers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.ledger.apps import work
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import ActiveJob, ConfigError, EventTimeout, Job, PayloadError, State, Windlass, this_job

pytestmark = pytest.mark.only_on("sqlite")


def asks(job: Job[Any]) -> bool:
    return job.refresh().state is State.SCHEDULED and job.reason == "event"


@pytest.mark.parametrize("is_async", [False, True], ids=["thread", "async"])
def test_a_job_goes_on_when_its_event_has_come(app: Windlass, is_async: bool) -> None:
    """F4: two that wait for the same, and one that comes later."""

    def ask(number: int, *, job: ActiveJob = this_job) -> Any:
        return number, job.wait_for("approved", timeout="7d")

    async def aask(number: int, *, job: ActiveJob = this_job) -> Any:
        with pytest.raises(ConfigError, match=r"use `await job.await_for\(\)`"):
            job.wait_for("approved")
        return number, await job.await_for("approved", timeout="7d")

    task: Any = app.task(name="ask")(aask if is_async else ask)
    with app.worker():
        first, second = task.enqueue(1), task.enqueue(2)
        eventually(lambda: asks(first) and asks(second), "both wait")
        assert app.counts()["running"] == 0
        app.send("approved", {"by": "me"})
        assert [job.result(timeout=PATIENCE) for job in (first, second)] == [(1, {"by": "me"}), (2, {"by": "me"})]
        assert task.enqueue(3).result(timeout=PATIENCE) == (3, {"by": "me"})
    assert [entry.kind for entry in first.timeline() if entry.kind in ("waits", "event")] == ["event"]


def test_an_event_that_did_not_come_is_an_error(app: Windlass) -> None:
    def ask(*, job: ActiveJob = this_job) -> str:
        try:
            return str(job.wait_for("approved", timeout=0.05))
        except EventTimeout as error:
            return str(error)

    task: Any = app.task(name="ask")(ask)
    with app.worker():
        job: Job[str] = task.enqueue()
        assert job.result(timeout=PATIENCE) == f"job {job.id}: the event 'approved' did not come in time"
    assert [step.kind for step in job.steps()] == ["timeout"]


def test_in_a_child_process(app: Windlass) -> None:
    isolated(app)
    with app.worker():
        job = enqueue(app, "asking")
        eventually(lambda: asks(job), "it waits")
        app.send("approved", 7)
        assert job.result(timeout=PATIENCE) == 7


def test_what_a_job_waits_for_is_told(app: Windlass) -> None:
    @app.task
    def ask(limit: str | None, *, job: ActiveJob = this_job) -> None:
        job.wait_for("approved", timeout=limit)

    jobs = [ask.enqueue(limit) for limit in ("2h", None)]
    work(app)
    assert (
        jobs[0]
        .why()
        .startswith("it waits for the event 'approved', which app.send(...) gives; its time limit for that is due in ")
    )
    assert jobs[1].why() == "it waits for the event 'approved', which app.send(...) gives, for as long as it takes"
    assert {entry.kind for entry in jobs[0].timeline()} == {"created", "claimed", "started", "waits", "suspended"}
    assert [step.event for step in jobs[0].steps()] == ["approved"]
    assert jobs[1].cancel()


def test_another_event_at_the_same_place_fails_the_job(app: Windlass) -> None:
    names = iter(["one", "two"])

    def ask(*, job: ActiveJob = this_job) -> None:
        job.wait_for(next(names))

    job: Job[None] = app.task(name="ask")(ask).enqueue()
    work(app)
    job.retry()
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "steps_changed")
    assert "has waited for the event 'one' under the name '#1', where this one waits for 'two'" in job.errors[0].message


@pytest.mark.parametrize("name", ["", "x" * 257, "a\nb", 7])
def test_names_are_checked(app: Windlass, name: Any) -> None:
    with pytest.raises(ConfigError, match="event name"):
        app.send(name)


def test_a_value_that_cannot_be_stored_is_refused(app: Windlass) -> None:
    with pytest.raises(PayloadError, match="event 'approved': its value cannot be stored: object cannot be stored"):
        app.send("approved", object())


def test_sending_from_async_code(app: Windlass) -> None:
    @app.task
    def ask(*, job: ActiveJob = this_job) -> Any:
        return job.wait_for("approved")

    job = ask.enqueue()
    asyncio.run(app.asend("approved"))
    work(app)
    assert job.result(timeout=0) is None
