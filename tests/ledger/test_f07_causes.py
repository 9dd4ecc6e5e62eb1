"""Failures by cause: groups, and groups that are run again at a rate."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import work
from windlass import Retry, State, Windlass
from windlass.testing import ManualClock

ONCE = Retry(attempts=1)


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="bill", retry=ONCE)
    def bill(customer: int) -> None:
        charge(customer)

    @app.task(name="mail", retry=ONCE)
    def mail(address: str) -> None:
        raise ValueError(f"{address!r} is no address")


def charge(customer: int) -> None:
    if customer < 100:
        raise LookupError(f"no customer {customer}")
    raise ConnectionError(f"the bank is away since {customer} s")


def failed(app: Windlass) -> None:
    for customer in (1, 2, 3, 100, 200):
        app.enqueue("bill", customer)
    app.enqueue("mail", "ann")
    app.enqueue("mail", "bob")
    work(app)


def test_failures_with_one_cause_are_one_group(app: Windlass) -> None:
    """F7: the largest first, with type, place, message and an example."""
    failed(app)
    groups = app.dead_groups()
    assert [(group.task, group.error, group.message, group.count) for group in groups] == [
        ("bill", "LookupError", "no customer …", 3),
        ("bill", "ConnectionError", "the bank is away since … s", 2),
        ("mail", "ValueError", "… is no address", 2),
    ]
    assert (groups.examined, groups.is_whole) == (7, True)
    assert groups[0].place == "ledger/test_f07_causes.py in charge"
    assert app.job(groups[0].sample).args[0] == 3
    assert [group.trend for group in groups] == ["new"] * 3


def test_a_group_is_run_again_at_a_rate(app: Windlass, clock: ManualClock) -> None:
    """F7: the jobs are scheduled that far apart; no process has to stay up for it."""
    failed(app)
    group = app.dead_groups()[0]
    assert app.retry_all(cause=group.cause, rate="2/s") == 3
    assert app.counts()[State.FAILED] == 4
    assert work(app) == 1
    for _ in range(2):
        clock.advance(timedelta(milliseconds=500))
        app.promote()
        assert work(app) == 1


def test_a_group_is_listed_and_deleted(app: Windlass) -> None:
    """F7."""
    failed(app)
    group = app.dead_groups()[1]
    assert {job.args[0] for job in app.jobs(state="failed", cause=group.cause)} == {100, 200}
    assert app.purge(state="failed", cause=group.cause) == 2
    assert [group.count for group in app.dead_groups()] == [3, 2]


def test_a_job_is_failed_by_hand(app: Windlass) -> None:
    """B24, A11: without a retry, with the reason by_hand."""
    job = app.enqueue("mail", "ann")
    assert (job.fail("wrong customer").state, job.reason) == (State.FAILED, "by_hand")
    assert job.errors[-1].message == "wrong customer"
    assert work(app) == 0
    app.enqueue("mail", "ann")
    [claimed] = app.claim()
    assert app.fail(claimed.id) is True
    assert app.job(claimed.id).reason == "by_hand"
