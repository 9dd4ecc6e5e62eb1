"""Durable steps, and sleeps that hold nothing."""

from __future__ import annotations

from tests.ledger.apps import Apps, work
from windlass import ActiveJob, EventTimeout, Job, State, Windlass, this_job
from windlass.testing import ManualClock


def declare(app: Windlass, done: list[str]) -> None:
    """A task that charges, fails once, sleeps, and ships."""

    def charge(order: int) -> str:
        done.append("charged")
        return f"receipt {order}"

    @app.task(name="sell")
    def sell(order: int, *, job: ActiveJob = this_job) -> str:
        receipt = job.step("charge", charge, order)
        if done == ["charged"]:
            done.append("failed")
            raise OSError("the printer is out of paper")
        job.sleep("3d")
        job.step("ship", done.append, f"shipped with {receipt}")
        return receipt


def test_a_step_that_has_returned_is_not_run_again(app: Windlass, clock: ManualClock) -> None:
    """F4: not after an error, and not after a sleep."""
    done: list[str] = []
    declare(app, done)
    job: Job[str] = app.enqueue("sell", 7)
    work(app)
    assert job.refresh().state is State.RETRYING
    for wait in ("1m", "3d"):
        clock.advance(wait)
        work(app)
    assert job.result() == "receipt 7"
    assert done == ["charged", "failed", "shipped with receipt 7"]
    assert [entry.kind for entry in job.timeline() if entry.kind in ("step", "sleep", "attempt_failed")] == [
        "step",
        "attempt_failed",
        "sleep",
        "step",
    ]


def test_a_sleep_holds_no_slot_and_survives_a_restart(new_app: Apps, clock: ManualClock) -> None:
    """F4: nothing runs meanwhile, nothing is charged, and another process goes on."""
    done: list[str] = ["charged before"]
    first = new_app()
    declare(first, done)
    job: Job[str] = first.enqueue("sell", 7)
    assert work(first) == 1
    assert (job.refresh().state, job.reason, job.attempt) == (State.SCHEDULED, "sleep", 0)
    assert (first.counts()["running"], job.why().startswith("it sleeps")) == (0, True)
    first.close()
    second = new_app()
    declare(second, done)
    clock.advance("2d")
    assert work(second) == 0
    clock.advance("1d")
    assert work(second) == 1
    assert second.job(job.id).result() == "receipt 7"
    assert done == ["charged before", "charged", "shipped with receipt 7"]


def test_a_job_that_sleeps_can_be_cancelled(app: Windlass) -> None:
    """F4: at once."""
    done: list[str] = ["charged before"]
    declare(app, done)
    job: Job[str] = app.enqueue("sell", 7)
    work(app)
    assert job.cancel()
    assert job.refresh().state is State.CANCELLED


def test_a_job_that_waits_for_an_event_holds_nothing_and_gets_it(new_app: Apps, clock: ManualClock) -> None:
    """F4: across processes; an event that did not come in time is an error that the task may catch."""
    first, second = new_app(), new_app()
    for app in (first, second):

        @app.task(name="ask")
        def ask(number: int, *, job: ActiveJob = this_job) -> object:
            try:
                return job.wait_for(f"approved-{number}", timeout="7d")
            except EventTimeout:
                return "no answer"

    jobs = [first.enqueue("ask", number) for number in (1, 2)]
    assert work(first) == 2
    assert {(job.refresh().state, job.reason, job.attempt) for job in jobs} == {(State.SCHEDULED, "event", 0)}
    assert "the event 'approved-1'" in jobs[0].why()
    second.send("approved-1", {"by": "me"})
    assert work(second) == 1
    assert jobs[0].result(timeout=0) == {"by": "me"}
    clock.advance("7d")
    assert work(second) == 1
    assert jobs[1].result(timeout=0) == "no answer"
