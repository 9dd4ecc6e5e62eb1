"""Which slots of a schedule fire, are caught up with or missed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.schedules.cron import Cron
from windlass.core.schedules.interval import Interval
from windlass.core.schedules.policies import CatchUp, FireOutcome
from windlass.core.schedules.slots import CATCHING_UP, MOST_COUNTED, Firing, Missed, Plan, plan
from windlass.core.schedules.timetable import Timetable

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOURLY = Timetable(Cron("@hourly"))


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
    ("delay", "outcome"),
    [(0, FireOutcome.ON_TIME), (4.9, FireOutcome.ON_TIME), (5.1, FireOutcome.LATE), (59.9, FireOutcome.LATE)],
)
def test_a_slot_fires_under_every_policy(catch_up: CatchUp, delay: float, outcome: FireOutcome) -> None:
    """Also one that waited for the next leader."""
    now = hours(1) + timedelta(seconds=delay)
    assert planned(catch_up, now=now) == Plan(None, (Firing(hours(1), outcome),), hours(2))


def test_skip_makes_nothing_of_what_was_missed() -> None:
    assert planned(CatchUp.SKIP, now=hours(3.5)) == Plan(Missed(hours(1), hours(3), 3), (), hours(4))


def test_latest_makes_the_newest_of_them() -> None:
    caught_up = (Firing(hours(3), FireOutcome.CAUGHT_UP),)
    assert planned(CatchUp.LATEST, now=hours(3.5)) == Plan(Missed(hours(1), hours(2), 2), caught_up, hours(4))


def test_latest_leaves_what_is_older_than_a_day() -> None:
    weekly, monday = Timetable(Cron("0 0 * * mon")), datetime(2026, 1, 5, tzinfo=UTC)
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
    every_minute = Timetable(Cron("* * * * *"))
    found = plan(every_minute, last=NOON - timedelta(days=3650), now=hours(0.001), catch_up=CatchUp.ALL, limit=10)
    assert len(found.firings) == 10
    assert found.missed is not None
    assert (found.missed.count, found.missed.last) == (MOST_COUNTED, NOON - timedelta(minutes=10))


@given(
    period=st.integers(1, 7200),
    catch_up=st.sampled_from(CatchUp),
    limit=st.integers(1, 20),
    jitter=st.sampled_from([0, 1, 600]),
    steps=st.lists(st.integers(0, 20_000), min_size=1, max_size=12),
)
def test_every_slot_is_decided_about_once(
    period: int, catch_up: CatchUp, limit: int, jitter: int, steps: list[int]
) -> None:
    """B14, B15: whenever it is asked; and what is made is never more than the policy allows."""
    slots = Timetable(Interval.of(period), "digest", timedelta(seconds=jitter))
    last, now, decided, missed = NOON, NOON, list[datetime](), 0
    for step in steps:
        now += timedelta(seconds=step)
        found = plan(slots, last=last, now=now, catch_up=catch_up, limit=limit)
        decided += [firing.planned for firing in found.firings]
        missed += found.missed.count if found.missed else 0
        caught_up = [firing for firing in found.firings if firing.outcome is FireOutcome.CAUGHT_UP]
        assert len(caught_up) <= {CatchUp.SKIP: 0, CatchUp.LATEST: 1, CatchUp.ALL: limit}[catch_up]
        assert all(now - slots.due(firing.planned) > CATCHING_UP for firing in caught_up)
        assert found.next is not None
        assert slots.due(found.next) > now
        last = max([last, *decided, *([found.missed.last] if found.missed else [])])
    assert decided == sorted(set(decided))
    length = timedelta(seconds=period)
    total, before = (now - EPOCH) // length, (NOON - EPOCH) // length
    if total > before and slots.due(EPOCH + total * length) > now:
        total -= 1  # its jitter is not over
    if missed < MOST_COUNTED:
        assert len(decided) + missed == total - before


def test_a_clock_that_was_set_back_repeats_nothing() -> None:
    """B14: the next slot is behind the last one that was decided about, whatever the clock shows."""
    assert planned(CatchUp.ALL, last=hours(1), now=hours(0.2)) == Plan(None, (), hours(2))


def test_jitter_is_the_same_for_every_leader() -> None:
    """B15: it is drawn from schedule and instant."""
    half_an_hour = timedelta(minutes=30)
    one, same, other = (Timetable(Cron("@hourly"), name, half_an_hour) for name in ("a", "a", "b"))
    drawn = [one.due(hours(number)) - hours(number) for number in range(50)]
    assert drawn == [same.due(hours(number)) - hours(number) for number in range(50)]
    assert drawn != [other.due(hours(number)) - hours(number) for number in range(50)]
    assert all(timedelta(0) <= delay < half_an_hour for delay in drawn)
    assert len(set(drawn)) == 50


def test_jitter_ends_before_the_next_slot() -> None:
    """So that slots fire in their order, however long it is."""
    every = Timetable(Interval.of("10s"), "often", timedelta(hours=1))
    for number in range(100):
        slot = NOON + number * timedelta(seconds=10)
        assert slot <= every.due(slot) < slot + timedelta(seconds=10)


def test_a_slot_fires_when_its_jitter_is_over() -> None:
    table = Timetable(Cron("@hourly"), "digest", timedelta(minutes=30))
    due = table.due(hours(1))
    assert due > hours(1)
    early = plan(table, last=NOON, now=due - timedelta(milliseconds=1), catch_up=CatchUp.LATEST, limit=10)
    assert early == Plan(None, (), hours(1))
    on_time = plan(table, last=NOON, now=due, catch_up=CatchUp.LATEST, limit=10)
    assert on_time == Plan(None, (Firing(hours(1), FireOutcome.ON_TIME),), hours(2))
