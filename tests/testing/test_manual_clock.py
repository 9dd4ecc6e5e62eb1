"""ManualClock: moves only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from windlass import ConfigError
from windlass.testing import ManualClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_it_stands_still() -> None:
    clock = ManualClock(NOON)
    assert (clock.now(), clock.now()) == (NOON, NOON)
    assert clock() == 1_772_366_400_000


@pytest.mark.parametrize("length", ["10m", 600, timedelta(minutes=10)])
def test_it_moves_forwards(length: Any) -> None:
    clock = ManualClock(NOON)
    clock.advance(length)
    assert clock.now() == NOON + timedelta(minutes=10)


def test_it_can_be_set_to_any_time_in_any_zone() -> None:
    clock = ManualClock(NOON)
    clock.set(NOON - timedelta(days=1))
    assert clock.now() == NOON - timedelta(days=1)
    clock.set(datetime(2026, 3, 1, 13, tzinfo=timezone(timedelta(hours=1))))
    assert clock.now() == NOON


def test_it_counts_whole_milliseconds() -> None:
    clock = ManualClock(NOON)
    clock.advance("1ms")
    assert clock() - ManualClock(NOON)() == 1
    assert clock.now() == NOON + timedelta(milliseconds=1)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"start: .*no time zone"):
        ManualClock(datetime(2026, 3, 1))  # noqa: DTZ001
    with pytest.raises(ConfigError, match=r"moment: .*no time zone"):
        ManualClock().set(datetime(2026, 3, 1))  # noqa: DTZ001


def test_a_step_backwards_is_refused() -> None:
    with pytest.raises(ConfigError, match="length must not be negative"):
        ManualClock().advance(-1)
