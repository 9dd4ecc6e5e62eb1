"""How many events of a kind are told: some at once, then so many a second."""

from __future__ import annotations

from collections.abc import Callable

from windlass import clock


class Allowance:
    """A token bucket: ``burst`` events at once, then ``per_second`` of them."""

    def __init__(self, *, burst: int, per_second: float, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._monotonic = monotonic
        self._level = float(burst)
        self._at = monotonic()

    @property
    def left(self) -> int:
        """How many events may be told now."""
        now = self._monotonic()
        self._level = min(float(self._burst), self._level + (now - self._at) * self._per_second)
        self._at = now
        return int(self._level)

    def take(self, events: int) -> None:
        """So many were told."""
        self._level -= events
