"""Causes of failures that are muted: shown at the end, and no matter of alerts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.ledger.apps import LONG_LEASE, await_first_beat, work
from windlass import ConfigError, Retry, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="bill", queue="money", retry=Retry(attempts=1))
    def bill(customer: int) -> None:
        if customer < 100:
            raise LookupError(f"no customer {customer}")
        raise ConnectionError(f"the bank is away since {customer} s")

    @app.task(name="sync", queue="money", retry=Retry(attempts=3, base="1h"))
    def sync() -> None:
        raise TimeoutError("the bank is slow")


def fail(app: Windlass, *customers: int) -> None:
    app.enqueue_many([app.request("bill", [customer]) for customer in customers])
    work(app)


def fired(app: Windlass) -> set[tuple[str, str]]:
    app.evaluate_alerts()
    return {(alert.rule, alert.subject) for alert in app.alerts.list(state="firing").alerts}


def test_a_muted_cause_comes_last_and_counts_for_no_alert(app: Windlass, clock: ManualClock) -> None:
    """F7: it is listed with who, why and until when; what fails in other ways counts as before."""
    fail(app, 1, 2, 3, 100)
    [largest, other] = app.dead_groups()
    clock.advance("10m")
    assert largest.cause is not None
    mute = app.dead_mute(largest.cause, lasts="2h", reason="they move house", by="ada")
    assert (mute.by, mute.reason, mute.until) == ("ada", "they move house", clock.now() + timedelta(hours=2))

    fail(app, *range(4, 10))
    assert fired(app) == set()
    groups = app.dead_groups()
    assert [(group.error, group.count, group.mute) for group in groups] == [
        ("ConnectionError", 1, None),
        ("LookupError", 9, mute),
    ]
    assert (groups.mutes, groups.muted_count, app.dead_mutes()) == ((mute,), 1, [mute])
    assert [group.cause for group in app.dead_groups(1)] == [other.cause]

    fail(app, 200)
    assert ("dead-letters", "queue:money") in fired(app)
    [alert] = app.alerts.list(rule="dead-letters").alerts
    assert "dead_letters is 1 " in alert.message


def test_runs_that_are_tried_again_are_left_out_of_the_error_rate(app: Windlass, clock: ManualClock) -> None:
    """F7: the cause of a run is known before its job has failed for good."""
    fail(app, 100)
    app.enqueue("sync")
    for _ in range(3):
        work(app)
        clock.advance("2h")
        app.promote()
    [cause] = [group.cause for group in app.dead_groups() if group.task == "sync"]
    assert cause is not None
    app.dead_mute(cause, lasts="1d", reason="known")
    clock.advance("1h")
    app.enqueue_many([app.request("sync")] * 30)
    assert work(app) == 30
    assert fired(app) == set()
    assert app.dead_unmute(cause)
    app.enqueue_many([app.request("sync")] * 30)
    work(app)
    assert ("error-rate", "queue:money") in fired(app)


def test_a_mute_ends_by_hand_and_by_its_time(app: Windlass, clock: ManualClock) -> None:
    """F7."""
    fail(app, 1, 100)
    first, second = (group.cause or "" for group in app.dead_groups())
    app.dead_mute(first, reason="known")
    app.dead_mute(second, reason="known")
    assert (app.dead_unmute(first), app.dead_unmute(first)) == (True, False)
    assert [mute.cause for mute in app.dead_mutes()] == [second]
    clock.advance("1h")
    assert app.dead_mutes() == []
    assert app.dead_groups().muted_count == 0


def test_a_mute_lasts_until_workers_are_started_anew(app: Windlass, clock: ManualClock) -> None:
    """F7: new again after a deploy."""
    fail(app, 1)
    [group] = app.dead_groups()
    app.worker(name="old", duties=False, lease=LONG_LEASE).start()
    clock.advance("1m")
    mute = app.dead_mute(group.cause or "", lasts="deploy", reason="fixed in the next release")
    assert mute.until is None
    clock.advance("1d")
    app.evaluate_alerts()
    assert app.dead_mutes() == [mute], "the workers of then still run"


def test_workers_that_were_started_later_end_a_mute(app: Windlass, clock: ManualClock) -> None:
    """F7: new again after a deploy."""
    fail(app, 1)
    [group] = app.dead_groups()
    app.dead_mute(group.cause or "", lasts="deploy", reason="fixed in the next release")
    clock.advance("1m")
    app.worker(duties=False, lease=LONG_LEASE).start()
    await_first_beat(app)
    app.evaluate_alerts()
    assert app.dead_mutes() == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cause": "nonsense"}, "12 hexadecimal digits"),
        ({"lasts": "soon"}, "lasts must look like"),
        ({"lasts": "91d"}, "90d"),
        ({"lasts": 0}, "1s to 90d"),
        ({"reason": " "}, "say why"),
    ],
)
def test_a_mute_that_makes_no_sense_is_refused(app: Windlass, given: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        app.dead_mute(**{"cause": "0123456789ab", "reason": "known", **given})
    assert app.dead_mutes() == []
