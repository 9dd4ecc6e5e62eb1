"""run_until_empty: it comes back when nothing is left, and not a moment before."""

from __future__ import annotations

from threading import Thread

import pytest

from tests.ledger.apps import gate, raises
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold, claims
from windlass import ConfigError, RetryableError, Snooze, State, Windlass, current_job


def test_jobs_that_jobs_enqueue_are_run_too(app: Windlass) -> None:
    @app.task
    def count_down(number: int) -> None:
        if number:
            count_down.enqueue(number - 1)

    count_down.enqueue(20)
    assert app.worker().run_until_empty() == 21
    assert app.counts()[State.COMPLETED] == 21


@pytest.mark.parametrize("wish", [Snooze(0), RetryableError("again", delay=0)], ids=["snoozed", "retried"])
def test_a_job_that_is_ready_again_at_once_is_run_again(app: Windlass, wish: Exception) -> None:
    """It never quits while a job is on its way back into the queue."""
    fences: list[int] = []

    @app.task
    def interrupt_again() -> None:
        fences.append(current_job().fence)
        if len(fences) < 4:
            raise wish

    job = interrupt_again.enqueue()
    assert app.worker().run_until_empty() == 4
    assert (job.refresh().state, list(map(raises, fences))) == (State.COMPLETED, [1, 2, 3, 4])


def test_it_does_not_quit_while_a_cycle_is_bringing_a_job_in(app: Windlass, interceptor: CallInterceptor) -> None:
    """The store has no ready job any more, the executors have it not yet: it is on the way between them."""
    hold = Hold(claims)
    interceptor.after.append(hold.after)
    happened: list[str] = []

    @app.task
    def note() -> None:
        happened.append("ran")

    def burst() -> None:
        worker.run_until_empty()
        happened.append("came back")

    with app.worker() as worker:
        eventually(lambda: worker.status().state == "idle", "the worker is up")
        worker.run_until_empty()
        note.enqueue()
        hold.await_reached()
        bursting = Thread(target=burst)
        bursting.start()
        bursting.join(0.2)
        happened.append("released")
        hold.release()
        bursting.join(PATIENCE)
    assert happened == ["released", "ran", "came back"]


def test_it_does_not_quit_because_a_job_was_taken_and_returned_while_it_counted(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """Counted while it ran, looked for after it went back: by then it is ready, and in no count."""
    fences: list[int] = []

    @app.task
    def interrupt_again() -> None:
        fences.append(current_job().fence)
        if len(fences) == 1:
            raise RetryableError("again", delay=0)

    with gate() as counting, app.worker() as worker:
        eventually(lambda: worker.status().state == "idle", "the worker is up")
        hold = Hold(lambda call, answer: call.name == "waiting_of")
        interceptor.after.append(hold.after)
        bursting = Thread(target=worker.run_until_empty)
        bursting.start()
        hold.await_reached()
        worker.pause()
        job = interrupt_again.enqueue()
        worker.resume()
        eventually(lambda: len(fences) >= 1, "the job runs")
        counting.open()
        hold.release()
        bursting.join(PATIENCE)
        assert job.refresh().state == State.COMPLETED


def test_jobs_that_are_due_later_are_left(app: Windlass) -> None:
    @app.task
    def later() -> None: ...

    job = later.options(delay="1h").enqueue()
    assert app.worker().run_until_empty() == 0
    assert job.refresh().state == State.SCHEDULED


def test_a_paused_queue_is_left(app: Windlass) -> None:
    """B10: nothing in it is ready for anybody."""

    @app.task
    def echo() -> None: ...

    echo.enqueue()
    app.queue("default").pause()
    assert app.worker().run_until_empty() == 0


def test_a_worker_that_has_stopped_does_not_start_again(app: Windlass) -> None:
    """It would wait for ever for a pump that is gone."""

    @app.task
    def echo() -> None: ...

    worker = app.worker()
    worker.run_until_empty()
    echo.enqueue()
    with pytest.raises(ConfigError, match="make a new one"):
        worker.run_until_empty()
    with pytest.raises(ConfigError, match="make a new one"):
        worker.start()


def test_bursts_leave_nothing_behind(app: Windlass) -> None:
    """I9: a script that makes a worker every minute does not grow."""

    @app.task
    def echo() -> None: ...

    for _ in range(20):
        echo.enqueue()
        app.worker().run_until_empty()
    assert app.workers() == []
    assert len(app.client.workers) <= 1
