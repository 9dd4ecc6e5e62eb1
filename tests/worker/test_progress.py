"""Progress that a task reports of its own run."""

from __future__ import annotations

import logging
from threading import Event

import pytest

from tests.ledger.apps import failure_of
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold
from windlass import Progress, StoreUnavailable, Windlass, current_job
from windlass.store.operation import Call


def test_a_store_that_is_away_is_none_of_the_tasks_business(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on; what could not be shown is left out, and said in the log."""
    caplog.set_level(logging.WARNING)

    def fail(call: Call) -> None:
        if call.name == "progress":
            raise StoreUnavailable("gone fishing")

    interceptor.before.append(fail)

    @app.task
    def work() -> str:
        current_job().progress(0.5, "half way")
        return "done"

    with app.worker():
        job = work.enqueue()
        assert job.result(timeout=PATIENCE) == "done"
    assert job.refresh().progress == Progress()
    assert f"job {job.id}: its progress could not be written: gone fishing" in caplog.text


def test_a_lost_lease_is(app: Windlass, raw_store: RawStore) -> None:
    """A7: only that ends the run."""
    began, lost = Event(), Event()

    @app.task
    def work() -> None:
        began.set()
        assert lost.wait(PATIENCE)
        current_job().progress(0.5)

    with app.worker(duties=False) as worker:
        job = work.enqueue()
        assert began.wait(PATIENCE)
        raw_store.take_away(job)
        lost.set()
        eventually(lambda: worker.status().refused == 1, "its ending is refused")


def test_async_tasks_report_while_the_loop_goes_on(app: Windlass, interceptor: CallInterceptor) -> None:
    """aprogress: a store that is slow holds up the run, not its neighbours."""
    slow = Hold(lambda call, answer: call.name == "progress")
    interceptor.before.append(slow.before)

    @app.task
    async def work() -> str:
        await current_job().aprogress(0.5, "half way")
        return "done"

    @app.task
    async def echo() -> str:
        return "unharmed"

    with app.worker():
        job = work.enqueue()
        slow.await_reached()
        assert echo.enqueue().result(timeout=PATIENCE) == "unharmed"
        slow.release()
        assert job.result(timeout=PATIENCE) == "done"
    assert job.refresh().progress == Progress(0.5, "half way")


def test_progress_beyond_the_end_is_a_mistake_of_the_task(app: Windlass) -> None:
    @app.task
    async def work() -> None:
        await current_job().aprogress(1.5)

    with app.worker():
        failed = failure_of(work.options(attempts=1).enqueue())
    assert "between 0 and 1" in (failed.message or "")
