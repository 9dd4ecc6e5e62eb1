"""When a schedule is due: cron expressions in a time zone.

An expression has five fields (minute, hour, day of the month, month, day of the week), or is a name such as ``@daily``.
When clocks change, it follows the rule of Debian's cron. An expression whose minute and hour are both given runs once
for each time that is on the clock: right after the jump if that time is skipped, the first time if it comes twice. One
with ``*`` or ``*/n`` as its minute or hour follows real time: nothing in a skipped hour, twice in a repeated one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from windlass.core.schedules.zones import time_zone
from windlass.errors import ConfigError

_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
_LONGEST = 512
"""Characters; every minute of every hour, written out, is half of it."""
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_LAST_NAMED_DAY = re.compile(rf"\b({'|'.join(_DAYS)})L\b")
_UP_TO_SUNDAY = re.compile(r"-(SUN|0)\b")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(seconds=1)
_PROBE = timedelta(hours=12)
"""No zone has changed its clocks twice within it."""


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression in a time zone; ``ConfigError`` when it is not understood or never comes true.

    >>> Cron("30 9 * * mon-fri", "Europe/Berlin").next_after(datetime(2026, 3, 27, 12, 0, tzinfo=UTC))
    datetime.datetime(2026, 3, 30, 7, 30, tzinfo=datetime.timezone.utc)
    """

    expression: str
    zone: str = "UTC"
    _fields: str = field(init=False, repr=False, compare=False)
    _zone: ZoneInfo = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_fields", _checked(self.expression))
        object.__setattr__(self, "_zone", time_zone(self.zone))
        if self.next_after(datetime(2000, 1, 1, tzinfo=UTC)) is None:
            raise ConfigError(f"cron expression {self.expression!r} never comes true: there is no such day")

    def next_after(self, instant: datetime) -> datetime | None:
        """The first instant after this one, in UTC; None if there is none within 50 years."""
        return self._by_the_clock(instant) if self._is_by_the_clock else self._in_real_time(instant)

    def explain(self) -> str:
        """The expression in words.

        >>> Cron("30 9 * * mon-fri").explain()
        'At 09:30 on Monday through Friday'
        """
        return str(CronSim(self._fields, _EPOCH).explain())

    @property
    def _is_by_the_clock(self) -> bool:
        minute, hour, *_ = self._fields.split()
        return not minute.startswith("*") and not hour.startswith("*")

    def _by_the_clock(self, instant: datetime) -> datetime | None:
        for found in CronSim(self._fields, instant.astimezone(self._zone)):
            # One in a repeated hour may be behind us, and two skipped times come true together.
            if (due := found.astimezone(UTC)) > instant:
                return due
        return None

    def _in_real_time(self, instant: datetime) -> datetime | None:
        """Walks from one change of the clocks to the next: between them, the clock and real time go alike."""
        begin = instant.astimezone(UTC).replace(microsecond=0)
        offset = _offset(self._zone, begin)
        wall = begin + offset
        while (found := next(CronSim(self._fields, wall.replace(tzinfo=None)), None)) is not None:
            due = found.replace(tzinfo=UTC) - offset
            change = _first_change(self._zone, begin, due)
            if change is None:
                return due
            begin, offset = change, _offset(self._zone, change)
            wall = begin + offset - _TICK  # the first second with the new offset counts
        return None


def _checked(expression: str) -> str:
    """The five fields of an expression as cronsim takes them."""
    if not expression.strip():
        raise ConfigError(f"a cron expression has {len(_FIELDS)} fields, as in '30 9 * * mon-fri'; got {expression!r}")
    if len(expression) > _LONGEST:
        raise ConfigError(f"a cron expression has at most {_LONGEST} characters, got {len(expression)}")
    fields = _ALIASES.get(expression.strip().lower(), expression).upper().split()
    if fields[0].startswith("@"):
        raise ConfigError(f"cron expression {expression!r}: there are {', '.join(_ALIASES)}")
    if len(fields) != len(_FIELDS):
        raise ConfigError(
            f"cron expression {expression!r} has {len(fields)} fields; it takes {len(_FIELDS)}: {', '.join(_FIELDS)}"
            + (" (for seconds there is `every`)" if len(fields) == len(_FIELDS) + 1 else "")
        )
    minute, hour, day, month, weekday = fields
    weekday = _LAST_NAMED_DAY.sub(lambda named: f"{_DAYS.index(named[1])}L", weekday)
    weekday = _UP_TO_SUNDAY.sub("-7", weekday)
    checked = [minute, hour, "*" if day == "?" else day, month, "*" if weekday == "?" else weekday]
    for index, name in enumerate(_FIELDS):
        _check_field(expression, checked, index, name)
    try:
        CronSim(" ".join(checked), _EPOCH)
    except CronSimError:
        raise ConfigError(f"cron expression {expression!r} never comes true: there is no such day") from None
    return " ".join(checked)


def _check_field(expression: str, fields: list[str], index: int, name: str) -> None:
    """Each alone, so that the error can name the one that is not understood."""
    alone = ["*"] * len(_FIELDS)
    alone[index] = fields[index]
    try:
        CronSim(" ".join(alone), _EPOCH)
    except (CronSimError, ValueError, AssertionError):
        written = expression.split()[index]
        raise ConfigError(f"cron expression {expression!r}: {written!r} is no {name}") from None


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    offset = instant.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def _first_change(zone: ZoneInfo, begin: datetime, end: datetime) -> datetime | None:
    """The first instant after ``begin``, up to ``end``, at which the clocks of a zone show another offset."""
    offset = _offset(zone, begin)
    while begin < end:
        probe = min(begin + _PROBE, end)
        if _offset(zone, probe) != offset:
            return _bisect(zone, offset, begin, probe)
        begin = probe
    return None


def _bisect(zone: ZoneInfo, offset: timedelta, before: datetime, after: datetime) -> datetime:
    while after - before > _TICK:
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if _offset(zone, middle) == offset:
            before = middle
        else:
            after = middle
    return after
