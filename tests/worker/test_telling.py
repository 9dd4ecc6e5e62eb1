"""What the worker logs about runs that failed."""

from __future__ import annotations

import logging

import pytest

from tests.ledger.apps import failure_of, work
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
    assert first.getMessage() == (
        f"job {job.id} (charge): attempt 1 of 2 failed, again in 0.1 s: ValueError: the bank ERROR forged line"
    )
    assert last.getMessage() == (
        f"job {job.id} (charge): failed for good (attempts) at attempt 2: ValueError: the bank ERROR forged line"
    )
    fields = ("job", "task", "queue", "worker", "attempt", "correlation_id")
    assert [last.__dict__[field] for field in fields] == [job.id, "charge", "money", name, 2, "request-7"]
    assert last.__dict__["fence"] == job.refresh().fence


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
