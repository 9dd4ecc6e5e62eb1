"""Times and durations as people write and read them."""

from __future__ import annotations

from datetime import datetime, timedelta

from windlass import clock

_UNITS = (("d", 86_400, 3600), ("h", 3600, 60), ("m", 60, 1), ("s", 1, 1))
"""Units of time, their seconds, and those of the unit below."""


def now() -> datetime:
    return clock.instant(clock.now())


def age(moment: datetime | None) -> str:
    """How long ago, or how far ahead, in a word: ``3m ago``, ``in 2h``."""
    if moment is None:
        return "-"
    passed = now() - moment
    if abs(passed) < timedelta(seconds=1):
        return "now"
    return f"in {length(-passed)}" if passed < timedelta(0) else f"{length(passed)} ago"


def length(time: timedelta) -> str:
    """A length of time in its largest unit, rounded to the nearest.

    >>> [length(timedelta(seconds=seconds)) for seconds in (84_700, 7199, 4800, 3599, 89.4, 59.6, 3.4, 0.9996, 0.04)]
    ['1d', '2h', '1h', '1h', '1m', '1m', '3s', '1s', '40ms']
    """
    seconds = time.total_seconds()
    if round(seconds * 1000) < 1000:
        return f"{round(seconds * 1000)}ms"
    # A unit begins where the one below it would be rounded up to it: 59.6 s are 1m, not 60s.
    unit, size = next((unit, size) for unit, size, below in _UNITS if seconds >= size - below / 2)
    return f"{int(seconds / size + 0.5)}{unit}"


def full(moment: datetime | None) -> str:
    """To the millisecond, with how long ago that was."""
    if moment is None:
        return "-"
    return f"{moment.isoformat(sep=' ', timespec='milliseconds').removesuffix('+00:00')} UTC ({age(moment)})"


def second(moment: datetime) -> str:
    """To the second."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
