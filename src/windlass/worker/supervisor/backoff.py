"""How long to wait before a dead process is replaced."""

from __future__ import annotations

_FIRST = 0.5
_LONGEST = 30.0
_SETTLED = 60.0
"""Seconds of life after which earlier deaths no longer count."""


class Backoff:
    """Counts deaths that come soon after each other."""

    def __init__(self) -> None:
        self._deaths = 0

    def pause(self, lived: float, *, roll: float) -> float:
        """Seconds until the next start; ``roll`` in [0, 1) keeps many parents from starting in step.

        >>> backoff = Backoff()
        >>> [backoff.pause(1, roll=0) for _ in range(8)]
        [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]
        >>> backoff.pause(61, roll=0)
        0.25
        """
        self._deaths = 0 if lived >= _SETTLED else min(self._deaths, 10)
        pause = min(_LONGEST, _FIRST * 2.0**self._deaths)
        self._deaths += 1
        return pause * (0.5 + roll / 2)
