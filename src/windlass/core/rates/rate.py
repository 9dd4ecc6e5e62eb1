"""A rate as people write it: "30/min"."""

from __future__ import annotations

import re

from msgspec import Struct

from windlass.core import validate
from windlass.core.units import milliseconds
from windlass.errors import ConfigError

MOST = 10_000_000
"""The largest amount and the largest burst: with the longest period their product is exact in every store."""
_LONGEST = 7 * 86_400_000
_PERIODS = {"s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_WORDS = {
    "sec": "s",
    "second": "s",
    "m": "min",
    "minute": "min",
    "hour": "h",
    "day": "d",
    "week": "7d",
}
_STORED = re.compile(r"\[(\d+),(\d+),(\d+)\]", re.ASCII)
_RATE = re.compile(r"(\d{1,9})/(\w+)", re.ASCII)


class Rate(Struct, frozen=True):
    """So many tokens in a period, and how many at once.

    In any span of time at most ``amount`` tokens for each ``period`` of it are given out, and ``burst`` more.
    """

    amount: int
    period: int
    """Milliseconds."""
    burst: int

    def __str__(self) -> str:
        for unit, length in _PERIODS.items():
            if self.period == length:
                return f"{self.amount}/{unit}"
        if self.period % 1000:
            return f"{self.amount}/{self.period}ms"
        return f"{self.amount}/{self.period // 1000}s"


def read_rate(text: object, burst: int | None = None, name: str = "rate") -> Rate:
    """Read a rate such as ``"30/min"``, ``"10/s"``, ``"5000/h"`` or ``"100/15m"``; ``name`` is for the error.

    Without ``burst`` it is what the rate brings in a second, and at least 1.

    >>> read_rate("30/min"), read_rate("5000/h", burst=100)
    (Rate(amount=30, period=60000, burst=1), Rate(amount=5000, period=3600000, burst=100))
    """
    found = _RATE.fullmatch(text.replace(" ", "")) if isinstance(text, str) else None
    if found is None:
        raise ConfigError(f"{name} must look like '30/min', '10/s' or '5000/h', got {text!r}")
    amount = validate.whole_number(int(found[1]), f"{name} {text!r}: the amount", least=1, most=MOST)
    period = _period(found[2], f"{name} {text!r}")
    return Rate(amount, period, default_burst(amount, period) if burst is None else read_burst(burst))


def read_gap(text: object) -> float:
    """Milliseconds between two jobs at a rate such as ``"30/min"``; 0 without one.

    >>> read_gap("20/s"), read_gap(None)
    (50.0, 0.0)
    """
    if text is None:
        return 0.0
    rate = read_rate(text)
    return rate.period / rate.amount


def write_rate(rate: Rate) -> str:
    """A rate as text for the store."""
    return f"[{rate.amount},{rate.period},{rate.burst}]"


def stored_rate(text: str | None) -> Rate | None:
    """What ``write_rate`` has written; None where there is nothing, or something else."""
    found = None if text is None else _STORED.fullmatch(text)
    return None if found is None else Rate(*map(int, found.groups()))


def read_burst(burst: object) -> int:
    """How many tokens there may be at once."""
    return validate.whole_number(burst, "burst", least=1, most=MOST)


def default_burst(amount: int, period: int) -> int:
    """What a rate brings in a second, and at least 1.

    >>> default_burst(30, 60_000), default_burst(10, 1000)
    (1, 10)
    """
    return max(1, min(MOST, -(-amount * 1000 // period)))


def _period(text: str, name: str) -> int:
    unit = _WORDS.get(text, text)
    if unit in _PERIODS:
        return _PERIODS[unit]
    if unit[0].isdigit():
        period = milliseconds(unit.replace("min", "m"), f"{name}: the period")
        if 1 <= period <= _LONGEST:
            return period
    raise ConfigError(
        f"{name}: the period must be s, min, h, d or a length of time such as '15m', from 1 ms to 7 days; got {text!r}"
    )
