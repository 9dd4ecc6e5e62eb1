"""Numbers, lengths of time, instants and values as pages write them, with the unit beside the number."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

NONE = "–"
"""What is missing is neither 0 nor blank."""


def number(value: float | None) -> str:
    """
    >>> number(1204), number(1_234_567), number(None)
    ('1,204', '1,234,567', '–')
    """
    return NONE if value is None else f"{value:,.0f}"


def short_number(value: int) -> str:
    """With two figures from a million on.

    >>> short_number(386), short_number(99_999), short_number(1_234_567)
    ('386', '99,999', '1.2 M')
    """
    return f"{value / 1_000_000:.1f} M" if value >= 1_000_000 else f"{value:,}"


def rate(value: float) -> str:
    """How many in a unit of time, with as many figures as say something.

    >>> [rate(value) for value in (0, 0.0333, 1.26, 12.34, 804.2, 12_345.6)]
    ['0', '0.03', '1.3', '12', '804', '12,346']
    """
    if value == 0 or value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.1g}"


def length(time: timedelta | None) -> str:
    """
    >>> [length(timedelta(seconds=seconds)) for seconds in (0.0004, 0.084, 2.06, 59.96, 252, 11_520, 200_000, 604_800)]
    ['0 ms', '84 ms', '2.1 s', '1m 00s', '4m 12s', '3h 12m', '2d 7h', '7d']
    """
    if time is None:
        return NONE
    seconds = time.total_seconds()
    if abs(seconds) < 1:
        return f"{seconds * 1000:.0f} ms"
    if abs(seconds) < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 172_800:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    days, hours = whole // 86_400, whole % 86_400 // 3600
    return f"{days}d {hours}h" if hours else f"{days}d"


def period(time: timedelta | None) -> str:
    """A length that was set, without what is zero.

    >>> [period(timedelta(seconds=seconds)) for seconds in (0.5, 30, 300, 3600, 5400, 7200, 604_800)]
    ['500 ms', '30 s', '5m', '1h', '1h 30m', '2h', '7d']
    """
    return length(time).replace(".0 s", " s").removesuffix(" 00s").removesuffix(" 00m")


def axis_length(time: timedelta) -> str:
    """A round length beside an axis.

    >>> [axis_length(timedelta(seconds=seconds)) for seconds in (0.025, 0.5, 10, 30, 150, 120, 5400)]
    ['25 ms', '500 ms', '10 s', '30 s', '2.5 min', '2 min', '1.5 h']
    """
    seconds = time.total_seconds()
    for length, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= length:
            return f"{seconds / length:g} {unit}"
    return f"{seconds * 1000:g} ms"


def clock_time(moment: datetime | None, now: datetime) -> str:
    """The time of day; with the day where that is not today.

    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    >>> clock_time(now, now), clock_time(now - timedelta(days=3), now), clock_time(now - timedelta(days=400), now)
    ('12:00:00', '13 Nov 12:00', '12 Oct 2025')
    """
    if moment is None:
        return NONE
    if moment.date() == now.date():
        return f"{moment:%H:%M:%S}"
    return (
        f"{moment.day} {moment:%b %H:%M}" if abs(now - moment) < timedelta(days=300) else f"{moment.day} {moment:%b %Y}"
    )


def ahead(moment: datetime | None, now: datetime) -> str:
    """
    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 16, 12, tzinfo=UTC)
    >>> ahead(now + timedelta(seconds=8), now), ahead(now, now)
    ('in 8.0 s', 'now')
    """
    if moment is None:
        return NONE
    return f"in {length(moment - now)}" if moment > now else "now"


def size(value: float | None) -> str:
    """
    >>> size(212_000_000), size(3_400), size(None)
    ('212 MB', '3 kB', '–')
    """
    if value is None:
        return NONE
    for unit, bytes in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= bytes:
            return f"{value / bytes:.1f} {unit}" if unit == "GB" else f"{value / bytes:.0f} {unit}"
    return f"{value:.0f} B"


def json_lines(value: object) -> str:
    """A value as JSON, a line for each of its parts.

    >>> print(json_lines({"id": 7}))
    {
      "id": 7
    }
    """
    return msgspec.json.format(msgspec.json.encode(value)).decode()
