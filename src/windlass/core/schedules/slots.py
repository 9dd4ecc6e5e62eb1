"""Which slots of a schedule fire now: pure, from the last planned instant and the time.

Slots that passed while no leader was there are caught up with, or recorded as missed; nothing here depends on how often
or by which process it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from msgspec import Struct

from windlass.core.schedules.policies import CatchUp, FireOutcome
from windlass.core.schedules.timetable import Timetable

ON_TIME = timedelta(seconds=5)
"""A slot that fires later than this is late."""
CATCHING_UP = timedelta(minutes=1)
"""A slot that fires later than this was missed while no leader was there: ``catch_up`` decides about it."""
OLDEST_LATEST = timedelta(hours=24)
"""``catch_up="latest"`` leaves older slots alone: what was due yesterday would surprise today."""
MOST_COUNTED = 1_000
"""Missed slots that are counted; a schedule of every minute would have half a million in a year."""
_MOMENT = timedelta.resolution


class Firing(Struct, frozen=True):
    """A slot that makes a job now."""

    planned: datetime
    outcome: FireOutcome


class Missed(Struct, frozen=True):
    """Slots in a row that make no job."""

    first: datetime
    last: datetime
    count: int
    """At most ``MOST_COUNTED``."""


class Plan(Struct, frozen=True):
    """What is to be done now, oldest first."""

    missed: Missed | None
    firings: tuple[Firing, ...]
    next: datetime | None
    """The slot after all of these."""


def plan(timetable: Timetable, *, last: datetime, now: datetime, catch_up: CatchUp, limit: int) -> Plan:
    """Decide about all slots after ``last``, the last one that was decided about, that are due by ``now``.

    >>> from windlass.core.schedules.interval import Interval
    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> table = Timetable(Interval.of("1h"))
    >>> hourly = plan(table, last=noon, now=noon + timedelta(hours=1), catch_up=CatchUp.SKIP, limit=10)
    >>> [(firing.planned.hour, firing.outcome.value) for firing in hourly.firings]
    [(13, 'on_time')]
    """
    until = _due_until(timetable, last, now)
    fires = _to_fire(timetable, last, now, until=until, catch_up=catch_up, limit=limit)
    return Plan(
        missed=_missed(timetable, last, before=fires[0] if fires else None, until=until),
        firings=tuple(Firing(slot, _outcome(now - timetable.due(slot))) for slot in fires),
        # A clock that was set back shows a time before the last slot: that one is not due a second time.
        next=timetable.next_after(max(last, until)),
    )


def _outcome(delay: timedelta) -> FireOutcome:
    if delay <= ON_TIME:
        return FireOutcome.ON_TIME
    return FireOutcome.LATE if delay <= CATCHING_UP else FireOutcome.CAUGHT_UP


def _due_until(timetable: Timetable, last: datetime, now: datetime) -> datetime:
    """Up to where slots are due: to now, or to right before the newest slot if its jitter is not over."""
    if not timetable.jitter:
        return now
    newest = _newest(timetable, last, now, 1)
    return newest[0] - _MOMENT if newest and timetable.due(newest[0]) > now else now


def _to_fire(
    timetable: Timetable, last: datetime, now: datetime, *, until: datetime, catch_up: CatchUp, limit: int
) -> list[datetime]:
    """The newest ones that the policy allows; those that are merely late fire under every policy."""
    oldest = now - CATCHING_UP
    recent = _between(timetable, max(last, oldest - timetable.jitter - _MOMENT), until)
    current = [slot for slot in recent if timetable.due(slot) >= oldest]
    if catch_up is CatchUp.SKIP:
        return current
    if catch_up is CatchUp.LATEST:
        return current or _newest(timetable, max(last, now - OLDEST_LATEST), until, 1)
    return _newest(timetable, last, until, max(limit, len(current)))


def _newest(timetable: Timetable, begin: datetime, end: datetime, count: int) -> list[datetime]:
    """The last so many up to ``end``. Looks back further and further, so that years without a leader cost little."""
    span = timedelta(hours=1)
    while True:
        found = list(_between(timetable, max(begin, end - span), end))
        if len(found) >= count or end - span <= begin:
            return found[-count:]
        span *= 4


def _missed(timetable: Timetable, last: datetime, *, before: datetime | None, until: datetime) -> Missed | None:
    end = until if before is None else before - _MOMENT
    missed = list(islice(_between(timetable, last, end), MOST_COUNTED))
    return Missed(missed[0], _newest(timetable, last, end, 1)[-1], len(missed)) if missed else None


def _between(timetable: Timetable, begin: datetime, end: datetime) -> Iterator[datetime]:
    slot = timetable.next_after(begin)
    while slot is not None and slot <= end:
        yield slot
        slot = timetable.next_after(slot)
