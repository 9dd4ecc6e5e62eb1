"""Slots that were missed, and the ledger of fires."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from windlass import Windlass
from windlass.testing import ManualClock


def outcomes(app: Windlass, name: str) -> list[tuple[str, str, int]]:
    """Outcome, first slot and how many, the oldest first."""
    return [(fire.outcome, f"{fire.planned_at:%d %H:%M}", fire.count) for fire in app.schedule(name).fires()][::-1]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"catch_up": "skip"}, [("missed", "01 01:00", 5)]),
        ({}, [("missed", "01 01:00", 4), ("caught_up", "01 05:00", 1)]),
        ({"catch_up": "latest"}, [("missed", "01 01:00", 4), ("caught_up", "01 05:00", 1)]),
        ({"catch_up": "all"}, [("caught_up", f"01 0{hour}:00", 1) for hour in range(1, 6)]),
        (
            {"catch_up": "all", "catch_up_limit": 2},
            [("missed", "01 01:00", 3), ("caught_up", "01 04:00", 1), ("caught_up", "01 05:00", 1)],
        ),
    ],
)
def test_slots_that_were_missed_are_skipped_or_made_up_for(
    app: Windlass, clock: ManualClock, options: dict[str, Any], expected: list[tuple[str, str, int]]
) -> None:
    """B15: by what the schedule says; those without a job are in the ledger."""
    app.add_schedule("hourly", "noop", every="1h", **options)
    clock.advance("5h30m")
    while app.fire_due():
        pass
    assert outcomes(app, "hourly") == expected
    assert len(app.jobs()) == sum(count for outcome, _, count in expected if outcome == "caught_up")


def test_the_latest_is_not_made_up_for_after_a_day(app: Windlass, clock: ManualClock) -> None:
    """B15: what was due before yesterday would surprise today."""
    app.add_schedule("weekly", "noop", cron="0 6 * * mon")
    clock.advance("6d")  # Wednesday
    app.fire_due()
    assert outcomes(app, "weekly") == [("missed", "05 06:00", 1)]


def test_late_is_told_apart_from_on_time(app: Windlass, clock: ManualClock) -> None:
    """B15: within seconds of the slot, later, and much later."""
    app.add_schedule("each", "noop", every="10m")
    for late in ("10m2s", "10m18s", "15m"):
        clock.advance(late)
        app.fire_due()
    assert [outcome for outcome, _, _ in outcomes(app, "each")] == ["on_time", "late", "caught_up"]


def test_arguments_that_no_longer_fit_are_an_error_in_the_ledger(app: Windlass, clock: ManualClock) -> None:
    """B15: the schedule is tried again until its next slot; others go on."""

    @app.task(name="report")
    def report(days: int) -> None: ...

    other = Windlass(app.url, namespace=app.client.namespace, clock=clock)
    with other:
        other.add_schedule("bad", "report", every="1m", kwargs={"weeks": 2})
    app.add_schedule("good", report, every="1m", args=[3])
    clock.advance("1m")
    app.fire_due()
    [bad], [good] = app.schedule("bad").fires(), app.schedule("good").fires()
    assert (bad.outcome, bad.job, good.outcome) == ("error", None, "on_time")
    assert bad.reason == "TypeError: task 'report': missing a required argument: 'days'"
    app.schedule("bad").edit(kwargs={"days": 2})
    clock.advance("1m")
    app.fire_due()
    assert app.schedule("bad").fires(limit=1)[0].outcome == "on_time"


def test_an_expiry_counts_from_the_slot(app: Windlass, clock: ManualClock) -> None:
    """B15: a job that is made too late is not run any more."""
    app.add_schedule("hourly", "noop", every="1h", catch_up="latest", expires="20m")
    clock.advance("1h15m")
    [soon] = app.fire_due()
    assert app.job(soon.job or "").expires_at == soon.planned_at + timedelta(minutes=20)
    clock.advance("1h10m")
    app.promote()
    assert app.job(soon.job or "").reason == "expired"
    [late] = [fire for fire in app.fire_due() if fire.job]
    clock.advance("1s")
    app.promote()
    assert app.job(late.job or "").reason == "expired"


def test_jitter_is_the_same_for_every_scheduler_and_keeps_the_slot(app: Windlass, clock: ManualClock) -> None:
    """B15: drawn from schedule and slot; the job knows the slot itself."""
    for name in "abcdefgh":
        app.add_schedule(name, "noop", every="1h", jitter="10m")
    clock.advance("1h")
    first = {fire.schedule for fire in app.fire_due()}
    clock.advance("10m")
    rest = app.fire_due()
    assert first | {fire.schedule for fire in rest} == set("abcdefgh")
    assert {f"{fire.planned_at:%H:%M}" for fire in rest} == {"01:00"}


def test_the_ledger_is_read_in_pages(app: Windlass, clock: ManualClock) -> None:
    """B15."""
    schedule = app.add_schedule("each", "noop", every="1m")
    for _ in range(7):
        clock.advance("1m")
        app.fire_due()
    first = schedule.fires(limit=5)
    rest = schedule.fires(limit=5, before=first[-1].planned_at)
    assert [fire.planned_at.minute for fire in (*first, *rest)] == [7, 6, 5, 4, 3, 2, 1]
