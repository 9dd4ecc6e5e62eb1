"""A coroutine that blocks the event loop is named."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.ledger.apps import gate
from tests.waiting import PATIENCE, eventually
from windlass import Windlass

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


@pytest.fixture(autouse=True)
def _attentive(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)


def test_who_blocks_the_loop_is_named_once(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """W10: the task, the job and the line, after a second; and when it is over."""
    with gate() as hog:

        @app.task(name="hog")
        async def block() -> None:
            hog.wait()

        with app.worker(lease="1s"):
            job = block.enqueue()
            eventually(lambda: "has blocked the event loop" in caplog.text, "it is said who blocks")
            eventually(lambda: job.refresh().started_at is not None, "the worker goes on")
            hog.open()
            job.result(timeout=PATIENCE)
            eventually(lambda: "turns again" in caplog.text, "it is said that it is over")
    assert caplog.text.count("has blocked") == 1
    assert f"task 'hog' (job {job.id})" in caplog.text
    assert "hog.wait()" in caplog.text
    assert job.refresh().attempt == 1


def test_a_loop_that_turns_again_at_once_is_told(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """W10: also if it does while the line about who blocks it is on its way."""
    loops: list[asyncio.AbstractEventLoop] = []
    with gate() as hog:

        @app.task
        async def block() -> None:
            loops.append(asyncio.get_running_loop())
            hog.wait()

        def let_it_turn(record: logging.LogRecord) -> bool:
            if "has blocked" in record.getMessage():
                hog.open()
                asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loops[0]).result(PATIENCE)
            return True

        logger = logging.getLogger("windlass.worker")
        logger.filters.insert(0, let_it_turn)  # on the thread that logs, before the record is relayed
        try:
            with app.worker():
                block.enqueue().result(timeout=PATIENCE)
                eventually(lambda: "turns again" in caplog.text, "it is said that it is over")
        finally:
            logger.removeFilter(let_it_turn)


def test_a_coroutine_that_a_task_started_is_called_by_its_own_name(
    app: Windlass, caplog: pytest.LogCaptureFixture
) -> None:
    with gate() as hog:

        async def helper() -> None:
            hog.wait()

        @app.task
        async def block() -> None:
            await asyncio.create_task(helper())

        with app.worker():
            job = block.enqueue()
            eventually(lambda: "has blocked the event loop" in caplog.text, "it is said who blocks")
            hog.open()
            job.result(timeout=PATIENCE)
    assert "helper' has blocked" in caplog.text


def test_a_loop_that_turns_is_not_complained_about(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    @app.task
    async def patient() -> None:
        await asyncio.sleep(1.5)

    with app.worker():
        patient.enqueue().result(timeout=PATIENCE)
    assert "event loop" not in caplog.text
