"""Tasks that no worker knows."""

from __future__ import annotations

from datetime import timedelta

from tests.ledger.apps import Apps, work
from windlass import State, Windlass
from windlass.testing import ManualClock


def test_an_unknown_task_is_not_run_and_costs_nothing(app: Windlass) -> None:
    """B31: no attempt is charged; the reason is in why."""
    job = app.enqueue("mail.welcome", 42)
    assert work(app, queues=["default"]) == 0
    job.refresh()
    assert (job.state, job.reason, job.attempt, job.errors) == (State.SCHEDULED, "unknown_task", 0, ())
    assert "no worker that met it knows the task 'mail.welcome'" in job.why()


def test_patience_grows_to_five_minutes(app: Windlass, clock: ManualClock) -> None:
    """B31: soon again at first, every five minutes after a while."""
    job = app.enqueue("unknown")
    waits = []
    for _ in range(14):
        work(app, queues=["default"])
        wait = job.refresh().run_at - clock.now()
        waits.append(wait.total_seconds())
        clock.advance(wait)
    assert waits == sorted(waits)
    assert waits[0] <= 5
    assert waits[-1] == 300


def test_it_fails_after_a_day(app: Windlass, clock: ManualClock) -> None:
    """B31: as failed(unknown_task), not earlier."""
    job = app.enqueue("unknown")
    work(app, queues=["default"])
    clock.advance("23h59m")
    work(app, queues=["default"])
    assert job.refresh().state is State.SCHEDULED
    clock.advance("5m")
    work(app, queues=["default"])
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "unknown_task", 0)
    assert "unknown" in job.errors[0].message


def test_the_day_begins_when_a_worker_meets_it(app: Windlass, clock: ManualClock) -> None:
    """B31: not when it was enqueued, nor when it was due."""
    job = app.enqueue("unknown")
    clock.advance("10d")
    work(app, queues=["default"])
    assert job.refresh().state is State.SCHEDULED


def test_a_retry_by_hand_gives_another_day(app: Windlass, clock: ManualClock) -> None:
    """B31: after the deploy that was missing, or before it."""
    job = app.enqueue("unknown")
    work(app, queues=["default"])
    clock.advance("25h")
    work(app, queues=["default"])
    assert job.refresh().state is State.FAILED
    job.retry()
    work(app, queues=["default"])
    assert job.refresh().state is State.SCHEDULED


def test_other_jobs_are_not_delayed(app: Windlass) -> None:
    """B31: a thousand unknown ones before them change nothing."""

    @app.task(name="known")
    def known() -> int:
        return 1

    app.enqueue_many([app.request("unknown", priority=9)] * 1000)
    job = known.enqueue()
    assert work(app) == 1
    assert job.result() == 1
    assert app.counts()[State.SCHEDULED] == 1000


def test_a_rolling_deploy_loses_nothing(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """B31: old workers leave the new task for new ones, which run it when they come."""
    old, new = app, new_app()

    @old.task(name="before")
    def before() -> None: ...

    @new.task(name="after")
    def after() -> str:
        return "new"

    job = new.enqueue("after")
    work(old)
    assert job.refresh().reason == "unknown_task"
    clock.advance("1m")
    work(new)
    assert job.result() == "new"
    assert job.refresh().run_at <= clock.now() + timedelta(0)
    assert (job.attempt, job.reason) == (1, None)
