"""Tasks that trip: from so many failures of one cause on their jobs wait instead of burning attempts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import Apps, work
from windlass import ConfigError, Retry, State, Trip, Windlass
from windlass.testing import ManualClock

BANK = {"is_away": True}


@pytest.fixture(autouse=True)
def _the_bank_is_away() -> None:
    BANK["is_away"] = True


def declare(app: Windlass) -> None:
    @app.task(name="pay", retry=Retry(attempts=3, base="1s"), trip=Trip(failures=5, within="1m", rest="10m"))
    def pay(number: int) -> str:
        if BANK["is_away"]:
            raise ConnectionError(f"the bank is away, {number}")
        return "paid"

    @app.task(name="mail")
    def mail() -> str:
        return "sent"


def enqueue(app: Windlass, number: int) -> list[Any]:
    return app.enqueue_many([app.request("pay", [each]) for each in range(number)])


def test_the_backlog_of_a_task_that_has_tripped_waits(app: Windlass, clock: ManualClock) -> None:
    """F7: uncharged, and other tasks go on; it comes back after its time."""
    declare(app)
    backlog = enqueue(app, 100)
    mail = app.enqueue("mail")
    work(app, concurrency=1, prefetch=False)
    assert mail.result() == "sent"
    charged = [job.refresh().attempt for job in backlog]
    assert 5 <= sum(charged) < 30, "the rest was not run"
    assert app.counts()[State.FAILED] == 0
    held = next(job for job in backlog if job.attempt == 0)
    assert (held.state, held.reason) == (State.SCHEDULED, "throttled")
    BANK["is_away"] = False
    clock.advance("10m")
    app.promote()
    work(app)
    assert {job.refresh().state for job in backlog} == {State.COMPLETED}


def test_the_cause_is_told(app: Windlass) -> None:
    """F7: in `why`, in the overview, and by the fingerprint of its group."""
    declare(app)
    backlog = enqueue(app, 50)
    work(app, concurrency=1, prefetch=False)
    [cooling] = app.overview().cooldowns
    assert (cooling.scope, cooling.name) == ("task", "pay")
    assert cooling.reason is not None
    assert cooling.reason.startswith("tripped: 5 runs failed within 60 s by one cause, ")
    assert "ConnectionError: the bank is away, …" in cooling.reason
    held = next(job for job in backlog if job.refresh().attempt == 0)
    assert "task 'pay' cools down until" in held.why()
    assert cooling.reason in held.why()


def test_a_task_comes_back_by_hand(app: Windlass) -> None:
    """F7: its jobs run at once."""
    declare(app)
    backlog = enqueue(app, 50)
    work(app, concurrency=1, prefetch=False)
    BANK["is_away"] = False
    assert (app.resume_task("pay", by="ada"), app.resume_task("pay"), app.resume_task("mail")) == (True, False, False)
    assert app.overview().cooldowns == []
    work(app)
    assert all(job.refresh().state in (State.COMPLETED, State.RETRYING) for job in backlog)
    assert app.counts()[State.COMPLETED] > 20


def test_failures_of_all_workers_count_together(app: Windlass, new_app: Apps) -> None:
    """F7: the store decides, once for all machines."""
    apps = [app, new_app(), new_app()]
    for each in apps:
        declare(each)
    for each in apps:
        enqueue(app, 2)
        work(each, concurrency=1, prefetch=False)
    [cooling] = app.overview().cooldowns
    assert cooling.name == "pay"


def test_without_a_rule_nothing_trips(app: Windlass) -> None:
    """F7: off by default."""

    @app.task(name="careless", retry=Retry(attempts=1))
    def careless() -> None:
        raise ValueError("no")

    app.enqueue_many([app.request("careless")] * 60)
    assert work(app) == 60
    assert app.counts()[State.FAILED] == 60
    assert app.overview().cooldowns == []


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Trip(failures=1), "trip: failures"),
        (Trip(within="2d"), "trip: within must be from 1s to 1d"),
        (Trip(rest=0), "trip: rest must be from 1s to 1d"),
        (Trip(within="soon"), "trip: within"),
        ("often", "Trip"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(app: Windlass, rule: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        app.task(name="wrong", trip=rule)(lambda: None)
