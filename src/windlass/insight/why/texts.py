"""Numbers, lengths of time and instants in the sentences of ``why``."""

from __future__ import annotations

from datetime import timedelta

from windlass import clock


def several(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def length(milliseconds: int) -> str:
    return str(timedelta(seconds=max(1, round(milliseconds / 1000))))


def passed(milliseconds: int) -> str:
    """
    >>> [passed(seconds * 1000) for seconds in (2, 35, 200, 7200, 500_000)]
    ['2.0 s', '35 s', '3 min', '2 h', '6 days']
    """
    seconds = max(0, milliseconds) / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < most:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds / 86_400)} days"


def instant(milliseconds: int) -> str:
    return f"{clock.instant(milliseconds):%Y-%m-%d %H:%M:%S} UTC"
