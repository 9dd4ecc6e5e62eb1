"""Which slots of a schedule fire, are caught up with or missed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.cron import Cron, Interval
from windlass.core.slots import CATCHING_UP, MOST_COUNTED, CatchUp, Firing, Missed, Plan, Timing, plan

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOURLY = Cron("@hourly")


def hours(number: float) -> datetime:
    """So many hours after noon."""
    return NOON + timedelta(hours=number)


def planned(catch_up: CatchUp, *, now: datetime, last: datetime = NOON, limit: int = 10) -> Plan:
    return plan(HOURLY, last=last, now=now, catch_up=catch_up, limit=limit)


@pytest.mark.parametrize("catch_up", CatchUp)
def test_nothing_is_due(catch_up: CatchUp) -> None:
    assert planned(catch_up, now=hours(0.99)) == Plan(None, (), hours(1))


@pytest.mark.parametrize("catch_up", CatchUp)
@pytest.mark.parametrize(
    ("delay", "timing"),
    [(0, Timing.ON_TIME), (4.9, Timing.ON_TIME), (5.1, Timing.LATE), (59.9, Timing.LATE)],
)
def test_a_slot_fires_under_every_policy(catch_up: CatchUp, delay: float, timing: Timing) -> None:
    """Also one that waited for the next leader."""
    now = hours(1) + timedelta(seconds=delay)
    assert planned(catch_up, now=now) == Plan(None, (Firing(hours(1), timing),), hours(2))


def test_skip_makes_nothing_of_what_was_missed() -> None:
    assert planned(CatchUp.SKIP, now=hours(3.5)) == Plan(Missed(hours(1), hours(3), 3), (), hours(4))


def test_latest_makes_the_newest_of_them() -> None:
    caught_up = (Firing(hours(3), Timing.CAUGHT_UP),)
    assert planned(CatchUp.LATEST, now=hours(3.5)) == Plan(Missed(hours(1), hours(2), 2), caught_up, hours(4))


def test_latest_leaves_what_is_older_than_a_day() -> None:
    weekly, monday = Cron("0 0 * * mon"), datetime(2026, 1, 5, tzinfo=UTC)
    a_day_later, then = timedelta(hours=24), CatchUp.LATEST
    for late, number in ((a_day_later - timedelta(seconds=1), 1), (a_day_later, 0)):
        found = plan(weekly, last=monday - timedelta(days=7), now=monday + late, catch_up=then, limit=10)
        assert len(found.firings) == number
        assert (found.missed is None) == (number == 1)


def test_all_makes_as_many_as_its_limit() -> None:
    """What lies beyond it is missed."""
    found = planned(CatchUp.ALL, now=hours(5.5), limit=3)
    assert [firing.planned for firing in found.firings] == [hours(3), hours(4), hours(5)]
    assert found.missed == Missed(hours(1), hours(2), 2)


def test_years_without_a_leader_are_counted_up_to_a_bound() -> None:
    every_minute = Cron("* * * * *")
    found = plan(every_minute, last=NOON - timedelta(days=3650), now=hours(0.001), catch_up=CatchUp.ALL, limit=10)
    assert len(found.firings) == 10
    assert found.missed is not None
    assert (found.missed.count, found.missed.last) == (MOST_COUNTED, NOON - timedelta(minutes=10))


@given(
    period=st.integers(1, 7200),
    catch_up=st.sampled_from(CatchUp),
    limit=st.integers(1, 20),
    steps=st.lists(st.integers(0, 20_000), min_size=1, max_size=12),
)
def test_every_slot_is_decided_about_once(period: int, catch_up: CatchUp, limit: int, steps: list[int]) -> None:
    """B14, B15: whenever it is asked; and what is made is never more than the policy allows."""
    slots, last, now, decided, missed = Interval.of(period), NOON, NOON, list[datetime](), 0
    for step in steps:
        now += timedelta(seconds=step)
        found = plan(slots, last=last, now=now, catch_up=catch_up, limit=limit)
        decided += [firing.planned for firing in found.firings]
        missed += found.missed.count if found.missed else 0
        caught_up = [firing for firing in found.firings if firing.timing is Timing.CAUGHT_UP]
        assert len(caught_up) <= {CatchUp.SKIP: 0, CatchUp.LATEST: 1, CatchUp.ALL: limit}[catch_up]
        assert all(now - firing.planned > CATCHING_UP for firing in caught_up)
        assert found.next is not None
        assert found.next > now
        last = max([last, *decided, *([found.missed.last] if found.missed else [])])
    assert decided == sorted(set(decided))
    total = (now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=period)
    before = (NOON - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=period)
    if missed < MOST_COUNTED:
        assert len(decided) + missed == total - before
