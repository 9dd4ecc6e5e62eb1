"""Durations, instants and amounts of memory as people write them: "10m", "2026-11-15T09:30Z", "512MB"."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta

from windlass.clock import instant
from windlass.core.validate import milliseconds_since_1970
from windlass.errors import ConfigError, Duration

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")


def duration(value: Duration, name: str = "duration") -> timedelta:
    """Read a ``timedelta``, seconds, or text such as ``"90s"``, ``"1h30m"``; ``name`` is for the error.

    >>> duration("1h30m")
    datetime.timedelta(seconds=5400)
    """
    length = value if isinstance(value, timedelta) else timedelta(seconds=_seconds(value, name))
    if length < timedelta(0):
        raise ConfigError(f"{name} must not be negative, got {value!r}")
    return length


def milliseconds(value: Duration, name: str = "duration") -> int:
    """``duration`` in whole milliseconds, the unit of every store."""
    return round(duration(value, name).total_seconds() * 1000)


def _seconds(value: float | str, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ConfigError(f"{name} must be a timedelta, seconds, or text like '10m', got {value!r}")
    seconds = _from_text(value, name) if isinstance(value, str) else float(value)
    # 10,000 years: neither timedelta nor datetime can hold more.
    if not math.isfinite(seconds) or abs(seconds) > 3.2e11:
        raise ConfigError(f"{name} must be a finite length of time, got {value!r}")
    return seconds


def _from_text(text: str, name: str) -> float:
    compact = text.replace(" ", "")
    if not compact.isascii() or not re.fullmatch(rf"(?:{_PART.pattern})+", compact):
        raise ConfigError(f"{name} must look like '90s', '10m', '2h' or '7d', got {text!r}")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(compact))


def read_instant(text: str, name: str) -> datetime:
    """An ISO instant with its zone; ``name`` is for the error.

    >>> read_instant("2026-11-15T09:30:00+01:00", "at").isoformat()
    '2026-11-15T08:30:00+00:00'
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{name} must be an instant like 2026-11-15T09:30:00Z, got {text!r}") from None
    if moment.tzinfo is None:
        raise ConfigError(f"{name}: {text!r} has no time zone; write {moment.isoformat()}Z for UTC")
    return instant(milliseconds_since_1970(moment, name))


def read_past(text: str, name: str, *, now: datetime) -> datetime:
    """``2h``, ``2h ago`` or an ISO instant with its zone."""
    if text[:4].isdigit() and text[4:5] == "-":
        return read_instant(text, name)
    try:
        return now - duration(text.removesuffix("ago").strip(), name)
    except OverflowError:
        raise ConfigError(f"{name}: {text!r} is longer ago than the calendar reaches") from None


_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)i?b?", re.I)


def memory(value: int | str, what: str = "memory") -> int:
    """Bytes from a number of bytes or a text.

    >>> memory("512MB"), memory(1000), memory("1.5 GiB")
    (536870912, 1000, 1610612736)
    """
    found = _AMOUNT.fullmatch(str(value).strip())
    if found is None or isinstance(value, bool):
        raise ConfigError(f"{what} must be a number of bytes or a text such as '512MB', got {value!r}")
    amount = int(float(found[1]) * _BYTES[found[2].lower()])
    if amount < 1:
        raise ConfigError(f"{what} must be at least one byte, got {value!r}")
    return amount
