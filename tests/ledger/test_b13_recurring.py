"""Recurring jobs: cron expressions in a time zone, and intervals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from tests.ledger.apps import work
from windlass import ConfigError, Windlass, current_job
from windlass.testing import ManualClock


def fired_slots(app: Windlass, clock: ManualClock, *, times: int, step: str) -> list[datetime]:
    """Advance the clock again and again, and fire what is due; the slots that made a job."""
    found: list[datetime] = []
    for _ in range(times):
        clock.advance(step)
        found += [fire.planned_at for fire in app.fire_due() if fire.job is not None]
    return found


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        (datetime(2026, 3, 7, 0, tzinfo=UTC), ["07 02:30-0500", "08 03:00-0400", "09 02:30-0400"]),
        (datetime(2026, 10, 31, 0, tzinfo=UTC), ["31 02:30-0400", "01 02:30-0500", "02 02:30-0500"]),
    ],
)
def test_an_expression_fires_by_the_clocks_of_its_zone(
    app: Windlass, clock: ManualClock, begin: datetime, expected: list[str]
) -> None:
    """B13: also on the days when the clocks change; a missing hour is made up for right after it."""
    clock.set(begin)

    @app.cron("30 2 * * *", tz="America/New_York")
    def nightly() -> None: ...

    app.fire_due()
    slots = fired_slots(app, clock, times=36, step="2h")
    zone = ZoneInfo("America/New_York")
    assert [f"{slot.astimezone(zone):%d %H:%M%z}" for slot in slots] == expected


def test_a_repeated_hour_counts_once_unless_the_hour_is_a_star(app: Windlass, clock: ManualClock) -> None:
    """B13: fixed hours fire the first time; a star goes by real time."""
    clock.set(datetime(2026, 11, 1, 4, tzinfo=UTC))

    @app.cron("30 1 * * *", tz="America/New_York")
    def fixed() -> None: ...

    @app.cron("30 * * * *", tz="America/New_York")
    def hourly() -> None: ...

    app.fire_due()
    for _ in range(8):
        clock.advance("30m")
        app.fire_due()
    assert [f"{fire.planned_at:%H:%M}" for fire in app.schedule("fixed").fires()] == ["05:30"]
    assert [f"{fire.planned_at:%H:%M}" for fire in app.schedule("hourly").fires()] == [
        "07:30", "06:30", "05:30", "04:30",
    ]  # fmt: skip


def test_an_interval_is_anchored_and_does_not_drift(app: Windlass, clock: ManualClock) -> None:
    """B13: whenever it is looked at, and after a restart."""
    clock.advance("7s")

    @app.every("30s")
    def poll() -> None: ...

    app.fire_due()
    slots = fired_slots(app, clock, times=20, step="19s")
    assert {slot.second for slot in slots} == {0, 30}
    assert {later - earlier for earlier, later in pairwise(slots)} == {timedelta(seconds=30)}


def test_a_job_knows_its_schedule_and_its_slot(app: Windlass, clock: ManualClock) -> None:
    """B13, B14: a late run knows which day it is for."""

    @app.cron("0 6 * * *", tz="Europe/Berlin")
    def daily() -> tuple[str | None, datetime | None]:
        job = current_job()
        return job.schedule, job.planned_at

    app.fire_due()
    clock.advance("5h3m")
    [fire] = app.fire_due()
    clock.advance("2h")
    work(app)
    job = app.job(fire.job or "")
    slot = datetime(2026, 1, 1, 5, tzinfo=UTC)
    assert job.result() == ("daily", slot)
    assert (job.schedule, job.planned_at, job.created_at) == ("daily", slot, slot + timedelta(minutes=3))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*/20 8-9 * * *", ["01 08:00", "01 08:20", "01 08:40", "01 09:00"]),
        ("0 12 * JAN Mon,7", ["04 12:00", "05 12:00", "11 12:00"]),
        ("0 0 13 * fri", ["02 00:00", "09 00:00", "13 00:00", "16 00:00"]),
        ("0 0 L * ?", ["31 00:00"]),
        ("0 0 ? * friL", ["30 00:00"]),
        ("0 0 * * 2#3", ["20 00:00"]),
        ("@weekly", ["04 00:00", "11 00:00"]),
    ],
)
def test_what_an_expression_may_have(app: Windlass, expression: str, expected: list[str]) -> None:
    """B13: names, ranges, steps, lists, ``?``, ``L``, ``#``, 7 for Sunday, and names for all of it."""

    @app.cron(expression, name="one")
    def one() -> None: ...

    found = app.schedule("one").preview(len(expected))
    assert [f"{slot.at:%d %H:%M}" for slot in found] == expected


@pytest.mark.parametrize("expression", ["0 0 31 2 *", "61 * * * *", "* * * *", "0 0 * * 8"])
def test_what_never_comes_true_is_refused(app: Windlass, expression: str) -> None:
    """B13: when it is declared, added or edited; nothing is stored."""
    with pytest.raises(ConfigError, match="schedule 'never': cron expression"):
        app.add_schedule("never", "noop", cron=expression)
    assert app.schedules() == []
