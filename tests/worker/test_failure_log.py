"""What the worker logs about runs that failed."""

from __future__ import annotations

import asyncio
import logging
import re
from threading import Event

import pytest

from tests.ledger.apps import failure_of, work
from tests.waiting import PATIENCE
from windlass import Retry, Snooze, Windlass


def told(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == "windlass.worker"]


@pytest.mark.only_on("sqlite")
def test_a_retry_is_a_warning_and_a_dead_letter_an_error(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """B23: with all that is known of the run."""

    @app.task(name="charge", queue="money", retry=Retry(attempts=2, base=0))
    def charge() -> None:
        raise ValueError("the bank\nERROR forged line")

    with app.worker(name="till") as worker:
        job = charge.options(correlation_id="request-7").enqueue()
        failure_of(job)
        name = worker.name
    first, last = told(caplog)
    assert (first.levelname, last.levelname) == ("WARNING", "ERROR")
    assert re.fullmatch(
        rf"job {job.id} \(charge\): attempt 1 of 2 failed after \d\.\d{{3}} s, queue money, again in 0\.1 s: "
        "ValueError: the bank ERROR forged line",
        first.getMessage(),
    )
    assert re.fullmatch(
        rf"job {job.id} \(charge\): failed for good \(attempts\) at attempt 2 after \d\.\d{{3}} s, queue money: "
        "ValueError: the bank ERROR forged line",
        last.getMessage(),
    )
    assert (first.__dict__["outcome"], last.__dict__["outcome"]) == ("retrying", "failed")
    assert last.__dict__["seconds"] >= 0
    fields = ("job", "task", "queue", "worker", "attempt", "correlation_id")
    assert [last.__dict__[field] for field in fields] == [job.id, "charge", "money", name, 2, "request-7"]
    assert last.__dict__["fence"] == job.refresh().fence


@pytest.mark.only_on("sqlite")
def test_a_failure_is_told_with_its_traceback(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    """It begins with the task, and none of its lines can be taken for a line of the log."""

    @app.task(retry=Retry(attempts=1))
    def charge() -> None:
        raise ValueError("the bank\nERROR forged line")

    charge.enqueue()
    work(app)
    [record] = told(caplog)
    text = logging.Formatter("%(message)s").format(record)
    _, head, frame, *others = text.splitlines()
    assert head == "    Traceback (most recent call last):"
    assert frame.startswith(f'      File "{__file__}"')
    assert frame.endswith("in charge")
    assert "raise ValueError" in others[0]
    assert all(line.startswith("    ") for line in others)


@pytest.mark.only_on("sqlite")
def test_a_run_that_may_not_be_repeated_and_was_cut_off_is_told(
    app: Windlass, caplog: pytest.LogCaptureFixture
) -> None:
    begun = Event()

    @app.task(retry=Retry(attempts=1))
    async def once() -> None:
        begun.set()
        await asyncio.Event().wait()

    once.enqueue()
    worker = app.worker()
    worker.start()
    assert begun.wait(PATIENCE)
    worker.stop(grace=0)
    [record] = [record for record in told(caplog) if record.levelname == "ERROR"]
    assert "failed for good (interrupted)" in record.getMessage()


@pytest.mark.only_on("sqlite")
def test_what_is_no_failure_is_not_told(app: Windlass, caplog: pytest.LogCaptureFixture) -> None:
    @app.task
    def fine() -> None: ...

    @app.task
    def later() -> None:
        raise Snooze("10m")

    fine.enqueue()
    later.enqueue()
    work(app)
    assert told(caplog) == []
