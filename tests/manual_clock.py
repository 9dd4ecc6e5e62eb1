"""The clock that tests move by hand, in the milliseconds of the stores: ``windlass.testing.ManualClock``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from windlass.testing import ManualClock

START = 1_700_000_000_000
"""What it shows at first."""


def manual_clock(start: int = START) -> ManualClock:
    """A clock that stands still."""
    return ManualClock(_instant(start))


def move(clock: ManualClock, milliseconds: int) -> None:
    """Let time pass; a negative step is a clock that was set back."""
    clock.set(_instant(clock() + milliseconds))


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
