"""The next slots of a schedule, and what is said where the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from windlass.core.schedules.cron import Cron
from windlass.core.schedules.interval import Interval
from windlass.core.schedules.preview import PlannedFire, preview


def previewed(expression: str, zone: str, after: str, count: int) -> list[PlannedFire]:
    begin = datetime.fromisoformat(after).replace(tzinfo=UTC)
    return preview(Cron(expression, zone), ZoneInfo(zone), after=begin, count=count)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        (
            "30 2 * * *",
            "America/New_York",
            "2026-03-07 00:00",
            [
                ("2026-03-07 02:30", ""),
                ("2026-03-08 03:00", "clocks jump from 02:00 to 03:00"),
                ("2026-03-09 02:30", ""),
            ],
        ),
        (
            "30 1 * * *",
            "America/New_York",
            "2026-11-01 00:00",
            [
                ("2026-11-01 01:30", "01:30 comes twice; this is the first"),
                ("2026-11-02 01:30", "clocks go back by 1h before it"),
                ("2026-11-03 01:30", ""),
            ],
        ),
        (
            "*/30 2 * * *",
            "Europe/Berlin",
            "2026-10-25 00:15",
            [
                ("2026-10-25 02:30", "02:30 comes twice; this is the first"),
                ("2026-10-25 02:00", "02:00 comes twice; this is the second"),
                ("2026-10-25 02:30", "02:30 comes twice; this is the second"),
                ("2026-10-26 02:00", ""),
            ],
        ),
        (
            "0 12 * * *",
            "Australia/Lord_Howe",
            "2026-04-03 12:00",
            [("2026-04-04 12:00", ""), ("2026-04-05 12:00", "clocks go back by 30m before it")],
        ),
        ("0 12 * * *", "UTC", "2026-03-29 00:00", [("2026-03-29 12:00", "")]),
    ],
)
def test_a_note_stands_where_the_clocks_change(
    expression: str, zone: str, after: str, expected: list[tuple[str, str]]
) -> None:
    found = previewed(expression, zone, after, len(expected))
    assert [(f"{fire.local:%Y-%m-%d %H:%M}", fire.note) for fire in found] == expected


def test_both_clocks_show_the_same_instant() -> None:
    [fire] = previewed("0 9 * * *", "Asia/Kolkata", "2026-01-01", 1)
    assert (fire.at, fire.at.utcoffset()) == (fire.local, timedelta(0))
    assert fire.local.isoformat() == "2026-01-01T09:00:00+05:30"


def test_an_interval_is_previewed_in_utc() -> None:
    begin = datetime(2026, 1, 1, 10, 7, tzinfo=UTC)
    found = preview(Interval.of("15m"), ZoneInfo("UTC"), after=begin, count=3)
    assert [fire.at.minute for fire in found] == [15, 30, 45]
