"""The next instants of a schedule, with a note where the clocks change."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from windlass.core.schedules.timetable import Slots

_MOMENT = timedelta(seconds=1)
_YEAR = 366
_FEW = 4
"""Slots of a day; those of a schedule that has more do not wait for one hour of it."""


class PlannedFire(Struct, frozen=True):
    """An instant at which a schedule will fire."""

    at: datetime
    """In UTC."""
    local: datetime
    """On the clocks of the schedule's time zone."""
    note: str = ""
    """What the clocks of that zone do there; empty on most days."""


def preview(slots: Slots, zone: ZoneInfo, *, after: datetime, count: int) -> list[PlannedFire]:
    """The next instants after ``after``, at most ``count``.

    >>> from datetime import UTC
    >>> from windlass.core.schedules.cron import Cron
    >>> nightly, zone = Cron("30 2 * * *", "America/New_York"), ZoneInfo("America/New_York")
    >>> for fire in preview(nightly, zone, after=datetime(2026, 3, 7, 12, tzinfo=UTC), count=1):
    ...     print(fire.local, fire.note)
    2026-03-08 03:00:00-04:00 clocks jump from 02:00 to 03:00
    """
    found: list[PlannedFire] = []
    before = after
    while len(found) < count and (due := slots.next_after(before)) is not None:
        found.append(PlannedFire(due, due.astimezone(zone), _note(zone, before, due)))
        before = due
    return found


def clock_change(slots: Slots, zone: ZoneInfo, *, after: datetime) -> PlannedFire | None:
    """The next slot within a year that a change of the clocks moves or doubles. None for a schedule that has none, and
    for one that fires so often that a change is not seen.

    >>> from datetime import UTC
    >>> from windlass.core.schedules.cron import Cron
    >>> nightly, zone = Cron("30 2 * * *", "America/New_York"), ZoneInfo("America/New_York")
    >>> print(clock_change(nightly, zone, after=datetime(2026, 11, 16, tzinfo=UTC)).local)
    2027-03-14 03:00:00-04:00
    """
    for day in range(_YEAR):
        begins = after + timedelta(days=day)
        ends = begins + timedelta(days=1)
        if _offset(begins.astimezone(zone)) != _offset(ends.astimezone(zone)):
            fires = [fire for fire in preview(slots, zone, after=begins, count=_FEW + 1) if fire.at <= ends]
            moved = [fire for fire in fires if _note(zone, fire.at - _MOMENT, fire.at)]
            if moved and len(fires) <= _FEW:
                return moved[0]
    return None


def _note(zone: ZoneInfo, before: datetime, due: datetime) -> str:
    here = due.astimezone(zone)
    moment_ago = (due - _MOMENT).astimezone(zone)
    jump = _offset(here) - _offset(moment_ago)
    if jump > timedelta(0):
        return f"clocks jump from {here - jump:%H:%M} to {here:%H:%M}"
    if _comes_twice(here):
        return f"{here:%H:%M} comes twice; this is the {'second' if here.fold else 'first'}"
    shift = _offset(here) - _offset(before.astimezone(zone))
    if shift:
        return f"clocks go {'forward' if shift > timedelta(0) else 'back'} by {_length(abs(shift))} before it"
    return ""


def _comes_twice(here: datetime) -> bool:
    return here.replace(fold=0).utcoffset() != here.replace(fold=1).utcoffset()


def _offset(moment: datetime) -> timedelta:
    offset = moment.utcoffset()
    assert offset is not None
    return offset


def _length(time: timedelta) -> str:
    """
    >>> _length(timedelta(hours=1)), _length(timedelta(minutes=30)), _length(timedelta(minutes=90))
    ('1h', '30m', '1h30m')
    """
    hours, minutes = divmod(round(time.total_seconds() / 60), 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if minutes else "")
