"""Notices that the store's clock was stepped."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

_TOLERATED = 1.0
"""Seconds; a clock that is slewed gains or loses far less from one reading to the next."""


class _Reading(Struct, frozen=True):
    began: float
    ended: float
    showed: float


class StoreClock:
    """Compares the store's clock with the time that has passed here, by ``monotonic``, between two readings."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.monotonic = monotonic
        self._last: _Reading | None = None

    def step(self, began: float, *, now: int) -> float:
        """By how many seconds it was stepped since the last reading; 0 if it was not, or not by much.

        It showed ``now`` (milliseconds) at some moment since ``began``, on our clock.
        """
        last, reading = self._last, _Reading(began, self.monotonic(), now / 1000)
        self._last = reading
        if last is None:
            return 0.0
        passed = reading.showed - last.showed
        least, most = reading.began - last.ended, reading.ended - last.began
        step = passed - most if passed > most else min(0.0, passed - least)
        return step if abs(step) > _TOLERATED else 0.0
