"""When cron expressions come true, also when the clocks change."""

from __future__ import annotations

import random
import sys
import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from windlass.core.schedules import zones
from windlass.core.schedules.cron import Cron
from windlass.core.schedules.interval import Interval
from windlass.errors import ConfigError

MINUTE = timedelta(minutes=1)
NASTY = (
    "Australia/Lord_Howe",  # half an hour
    "Africa/Casablanca",  # back for Ramadan
    "Pacific/Chatham",  # a quarter past the hour
    "America/Detroit",
    "Pacific/Apia",  # lost a day
    "America/Havana",  # changes at midnight
    "Asia/Beirut",
    "America/New_York",
    "Europe/Berlin",
    "Antarctica/Troll",  # two hours at once
)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fires(expression: str, zone: str, begin: datetime, end: datetime) -> list[datetime]:
    cron, found = Cron(expression, zone), []
    due = cron.next_after(begin)
    while due is not None and due <= end:
        found.append(due)
        due = cron.next_after(due)
    return found


def shown(instant: datetime, zone: str) -> str:
    """As a clock there shows it, with its offset."""
    text = instant.astimezone(ZoneInfo(zone)).isoformat()
    return text[11:16] + text[19:]


# As the clock shows them; New York 2026-03-08 and 11-01, Berlin 2026-03-29 and 10-25.
CASES = [
    ("30 2 * * *", "America/New_York", "2026-03-08", ["03:00-04:00"]),
    ("30 2 * * *", "Europe/Berlin", "2026-03-29", ["03:00+02:00"]),
    ("0 2 * * *", "America/New_York", "2026-03-08", ["03:00-04:00"]),
    ("0 3 * * *", "America/New_York", "2026-03-08", ["03:00-04:00"]),
    ("0,30 2 * * *", "Europe/Berlin", "2026-03-29", ["03:00+02:00"]),
    ("30 1 * * *", "America/New_York", "2026-11-01", ["01:30-04:00"]),
    ("30 2 * * *", "Europe/Berlin", "2026-10-25", ["02:30+02:00"]),
    ("0 1 * * *", "America/New_York", "2026-11-01", ["01:00-04:00"]),
    ("0 2 * * *", "America/New_York", "2026-11-01", ["02:00-05:00"]),
    ("0,30 1 * * *", "America/New_York", "2026-11-01", ["01:00-04:00", "01:30-04:00"]),
    ("30 2 8 3 *", "America/New_York", "2026-03-08", ["03:00-04:00"]),
    ("30 1 1 11 *", "America/New_York", "2026-11-01", ["01:30-04:00"]),
    ("0 */6 * * *", "America/New_York", "2026-03-08", ["00:00-05:00", "06:00-04:00", "12:00-04:00", "18:00-04:00"]),
    ("0 */6 * * *", "Europe/Berlin", "2026-10-25", ["00:00+02:00", "06:00+01:00", "12:00+01:00", "18:00+01:00"]),
    ("*/30 2 * * *", "Europe/Berlin", "2026-03-29", []),
    (
        "*/30 2 * * *",
        "Europe/Berlin",
        "2026-10-25",
        ["02:00+02:00", "02:30+02:00", "02:00+01:00", "02:30+01:00"],
    ),
]


@pytest.mark.parametrize(("expression", "zone", "day", "expected"), CASES)
def test_a_day_when_the_clocks_change(expression: str, zone: str, day: str, expected: list[str]) -> None:
    """B13: skipped times come once, right after; repeated ones once, unless minute or hour is a star."""
    begin = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
    end = begin + timedelta(days=1)  # on the clock
    found = fires(expression, zone, begin.astimezone(UTC) - MINUTE, end.astimezone(UTC) - MINUTE)
    assert [shown(due, zone) for due in found] == expected


@pytest.mark.parametrize(("day", "hours"), [("2026-03-08", 23), ("2026-11-01", 25)])
def test_an_hourly_one_follows_real_time(day: str, hours: int) -> None:
    zone = ZoneInfo("America/New_York")
    begin = datetime.fromisoformat(day).replace(tzinfo=zone)
    end = (begin + timedelta(days=1)).astimezone(UTC)
    assert len(fires("0 * * * *", "America/New_York", begin.astimezone(UTC) - MINUTE, end - MINUTE)) == hours


class Oracle:
    """Looks at every minute of a stretch of real time."""

    def __init__(self, zone: str, begin: datetime, end: datetime) -> None:
        self._minutes = []
        known, at = ZoneInfo(zone), begin
        while at <= end:
            self._minutes.append((at, at.astimezone(known)))
            at += MINUTE

    def fires(self, minutes: set[int], hours: set[int], *, by_the_clock: bool) -> list[datetime]:
        if not by_the_clock:
            return [at for at, wall in self._minutes if wall.minute in minutes and wall.hour in hours]
        found, latest = [], self._minutes[0][1].replace(tzinfo=None) - MINUTE
        for at, wall in self._minutes:
            shown = wall.replace(tzinfo=None)
            passed = _minutes_between(latest, shown)  # more than one after a jump, none in a repeated hour
            if any(one.minute in minutes and one.hour in hours for one in passed):
                found.append(at)
            latest = max(latest, shown)
        return found


def _minutes_between(earlier: datetime, later: datetime) -> list[datetime]:
    return [earlier + number * MINUTE for number in range(1, int((later - earlier) / MINUTE) + 1)]


def changes(zone: str, first: int, last: int) -> list[datetime]:
    """The instants, to the hour, before which a zone changes its clocks."""
    known, found = ZoneInfo(zone), []
    at, end = datetime(first, 1, 1, tzinfo=UTC), datetime(last, 1, 1, tzinfo=UTC)
    while at < end:
        after = at + timedelta(hours=12)
        if at.astimezone(known).utcoffset() != after.astimezone(known).utcoffset():
            found.append(after)
        at = after
    return found


EXPRESSIONS = [
    ("30 2 * * *", {30}, {2}, True),
    ("15 1 * * *", {15}, {1}, True),
    ("0,45 0-3 * * *", {0, 45}, {0, 1, 2, 3}, True),
    ("10 * * * *", {10}, set(range(24)), False),
    ("*/15 * * * *", {0, 15, 30, 45}, set(range(24)), False),
    ("*/20 1-3 * * *", {0, 20, 40}, {1, 2, 3}, False),
    ("5 */2 * * *", {5}, set(range(0, 24, 2)), False),
]


@pytest.mark.parametrize("zone", NASTY)
def test_every_minute_agrees(zone: str) -> None:
    """B13: around each change of the clocks from 2000 to 2040."""
    for change in changes(zone, 2000, 2040):
        begin, end = change - timedelta(hours=16), change + timedelta(hours=8)
        oracle = Oracle(zone, begin, end)
        for expression, minutes, hours, by_the_clock in EXPRESSIONS:
            expected = oracle.fires(minutes, hours, by_the_clock=by_the_clock)
            assert fires(expression, zone, begin - MINUTE, end) == expected, (expression, change)


def test_an_answer_is_always_later() -> None:
    """B13: whatever the zone and the moment, near the first changes of the clocks after 2020."""
    generator = random.Random(13)
    for zone in sorted(name for name in available_timezones() if "/" in name):
        for change in changes(zone, 2020, 2023)[:4]:
            begin = change - timedelta(minutes=generator.randrange(15 * 60))
            minute, hour = generator.randrange(60), generator.randrange(4)
            for expression in (f"{minute} {hour} * * *", f"*/7 {hour} * * *", f"{minute} */3 * * *"):
                due = Cron(expression, zone).next_after(begin)
                assert due is not None
                assert begin < due <= begin + timedelta(days=2, hours=1), (expression, zone, begin)


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("@hourly", "2026-01-01T10:00", "2026-01-01T11:00"),
        ("@Daily", "2026-01-01T10:00", "2026-01-02T00:00"),
        ("@weekly", "2026-01-01T10:00", "2026-01-04T00:00"),
        ("@monthly", "2026-01-01T10:00", "2026-02-01T00:00"),
        ("@yearly", "2026-01-01T10:00", "2027-01-01T00:00"),
        ("0 0 ? * MON", "2026-01-01T10:00", "2026-01-05T00:00"),
        ("0 0 1 * ?", "2026-01-01T10:00", "2026-02-01T00:00"),
        ("0 0 * * 7", "2026-01-01T10:00", "2026-01-04T00:00"),
        ("0 0 * * sat-sun", "2026-01-01T10:00", "2026-01-03T00:00"),
        ("0 0 L * *", "2026-02-01T10:00", "2026-02-28T00:00"),
        ("0 0 * * 5L", "2026-01-01T10:00", "2026-01-30T00:00"),
        ("0 0 * * friL", "2026-01-01T10:00", "2026-01-30T00:00"),
        ("0 0 * * 2#3", "2026-01-01T10:00", "2026-01-20T00:00"),
        ("0 0 13 * fri", "2026-01-01T10:00", "2026-01-02T00:00"),
        ("0 0 29 2 *", "2026-01-01T10:00", "2028-02-29T00:00"),
        ("10-20/5,40 8 * jan,Mar *", "2026-01-31T08:40", "2026-03-01T08:10"),
    ],
)
def test_what_may_be_written(expression: str, after: str, expected: str) -> None:
    """B13: names in any case, ranges, steps, lists, ``?``, ``L``, ``#``, 7 as Sunday, names for the whole."""
    assert Cron(expression).next_after(utc(after)) == utc(expected)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("", "has 5 fields"),
        ("* * * *", "has 4 fields"),
        ("0 * * * * *", "for seconds there is `every`"),
        ("@reboot", "there are @hourly"),
        ("61 * * * *", "'61' is no minute"),
        ("0 22-2 * * *", "'22-2' is no hour"),
        ("0 0 * * fry", "'fry' is no day of the week"),
        ("0 0 * foo *", "'foo' is no month"),
        ("0 0 * * 2#6", "'2#6' is no day of the week"),
        ("*/0 * * * *", "'*/0' is no minute"),
        ("\u0661 * * * *", "is no minute"),
        ("0 0 30 2 *", "never comes true"),
        ("0 0 31 4,6 *", "never comes true"),
        ("0 0 1-" + "1" * 600 + " * *", "at most 512 characters"),
    ],
)
def test_what_is_refused(expression: str, says: str) -> None:
    """B13: with the field that is not understood; impossible dates too."""
    with pytest.raises(ConfigError) as refusal:
        Cron(expression)
    assert says in str(refusal.value)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_a_zone_that_is_not_there(zone: str) -> None:
    with pytest.raises(ConfigError, match="there is no time zone"):
        Cron("@daily", zone)


@pytest.fixture
def no_zone_data(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system without zone data."""
    zones.time_zone.cache_clear()
    zones.zone_data_version.cache_clear()
    ZoneInfo.clear_cache()
    path = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=[])
    monkeypatch.setitem(sys.modules, "tzdata", None)
    for name in [name for name in sys.modules if name.startswith("tzdata.")]:
        monkeypatch.delitem(sys.modules, name)
    yield
    zoneinfo.reset_tzpath(to=path)
    zones.time_zone.cache_clear()
    zones.zone_data_version.cache_clear()


@pytest.mark.usefixtures("no_zone_data")
def test_a_system_without_zone_data() -> None:
    """B13: the error names the package."""
    with pytest.raises(ConfigError, match="no time zone data; install the package tzdata"):
        Cron("@daily", "Europe/Berlin")
    assert zones.zone_data_version() == "unknown"


def test_the_version_of_the_zone_data() -> None:
    assert zones.zone_data_version()[:2] == "20"


def test_a_lost_day() -> None:
    """Apia had no 30 December 2011: what was due then came at the first minute that there was."""
    assert Cron("0 12 30 12 *", "Pacific/Apia").next_after(utc("2011-12-01")) == utc("2011-12-30T10:00")


def test_an_interval_does_not_drift() -> None:
    """B13: whenever it is asked, also a moment early or late."""
    every = Interval.of("30s")
    assert every.next_after(utc("2026-01-01T00:00:00")) == utc("2026-01-01T00:00:30")
    assert every.next_after(utc("2026-01-01T00:00:29.999")) == utc("2026-01-01T00:00:30")
    assert every.next_after(utc("2026-01-01T00:00:30.001")) == utc("2026-01-01T00:01:00")
    with pytest.raises(ConfigError, match="at least one second"):
        Interval.of("10ms")
