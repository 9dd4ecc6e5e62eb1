"""Which slots of a schedule fire now: pure, from the last planned instant and the time.

A *slot* is an instant at which a schedule is due. Slots that passed while no leader was there are caught up with, or
recorded as missed; nothing here depends on how often or by which process it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Protocol

ON_TIME = timedelta(seconds=5)
"""A slot that fires later than this is late."""
CATCHING_UP = timedelta(minutes=1)
"""A slot that fires later than this was missed while no leader was there: ``catch_up`` decides about it."""
OLDEST_LATEST = timedelta(hours=24)
"""``catch_up="latest"`` leaves older slots alone: what was due yesterday would surprise today."""
MOST_COUNTED = 1_000
"""Missed slots that are counted; a schedule of every minute would have half a million in a year."""


class Slots(Protocol):
    """Instants without an end, as ``Cron`` and ``Interval`` give them."""

    def next_after(self, instant: datetime) -> datetime | None: ...


class CatchUp(StrEnum):
    """What happens with slots that were missed."""

    SKIP = "skip"
    LATEST = "latest"
    ALL = "all"


class Timing(StrEnum):
    """How a slot came to fire."""

    ON_TIME = "on_time"
    LATE = "late"
    CAUGHT_UP = "caught_up"


@dataclass(frozen=True, slots=True)
class Firing:
    """A slot that makes a job now."""

    planned: datetime
    timing: Timing


@dataclass(frozen=True, slots=True)
class Missed:
    """Slots in a row that make no job."""

    first: datetime
    last: datetime
    count: int
    """At most ``MOST_COUNTED``."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done now, oldest first."""

    missed: Missed | None
    firings: tuple[Firing, ...]
    next: datetime | None
    """The slot after all of these."""


def plan(slots: Slots, *, last: datetime, now: datetime, catch_up: CatchUp, limit: int) -> Plan:
    """Decide about all slots after ``last``, the last one that was decided about, up to ``now``.

    >>> from windlass.core.cron import Interval
    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> hourly = plan(Interval.of("1h"), last=noon, now=noon + timedelta(hours=1), catch_up=CatchUp.SKIP, limit=10)
    >>> [(firing.planned.hour, firing.timing.value) for firing in hourly.firings]
    [(13, 'on_time')]
    """
    fires = _to_fire(slots, last, now, catch_up, limit)
    return Plan(
        missed=_missed(slots, last, before=fires[0] if fires else None, until=now),
        firings=tuple(Firing(planned, _timing(now - planned)) for planned in fires),
        next=slots.next_after(now),
    )


def _timing(delay: timedelta) -> Timing:
    if delay <= ON_TIME:
        return Timing.ON_TIME
    return Timing.LATE if delay <= CATCHING_UP else Timing.CAUGHT_UP


def _to_fire(slots: Slots, last: datetime, now: datetime, catch_up: CatchUp, limit: int) -> list[datetime]:
    """The newest ones that the policy allows; those that are merely late fire under every policy."""
    current = list(_between(slots, max(last, now - CATCHING_UP - timedelta.resolution), now))
    if catch_up is CatchUp.SKIP:
        return current
    if catch_up is CatchUp.LATEST:
        return current or _newest(slots, max(last, now - OLDEST_LATEST), now, 1)
    return _newest(slots, last, now, max(limit, len(current)))


def _newest(slots: Slots, begin: datetime, end: datetime, count: int) -> list[datetime]:
    """The last so many up to ``end``. Looks back further and further, so that years without a leader cost little."""
    span = timedelta(hours=1)
    while True:
        found = list(_between(slots, max(begin, end - span), end))
        if len(found) >= count or end - span <= begin:
            return found[-count:]
        span *= 4


def _missed(slots: Slots, last: datetime, *, before: datetime | None, until: datetime) -> Missed | None:
    end = until if before is None else before - timedelta.resolution
    missed = list(islice(_between(slots, last, end), MOST_COUNTED))
    return Missed(missed[0], _newest(slots, last, end, 1)[-1], len(missed)) if missed else None


def _between(slots: Slots, begin: datetime, end: datetime) -> Iterator[datetime]:
    slot = slots.next_after(begin)
    while slot is not None and slot <= end:
        yield slot
        slot = slots.next_after(slot)
