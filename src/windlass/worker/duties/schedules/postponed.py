"""Schedules that are left alone for a while, because their fire cannot be carried out."""

from __future__ import annotations

from collections.abc import Callable

_FIRST = 1.0
_LONGEST = 30.0
"""Seconds."""


class Postponed:
    """Doubles the pause of a schedule with each failure, so that it does not hold up the others again and again.

    A caller's transaction may hold what a fire needs, a unique key, for as long as it likes.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until: dict[str, tuple[float, float]] = {}
        """By name: when to try again, and the pause until then."""

    def __contains__(self, name: str) -> bool:
        return name in self._until and self._monotonic() < self._until[name][0]

    def failed(self, name: str) -> bool:
        """Leave it alone for a while; true if this is its first failure."""
        _, pause = self._until.get(name, (0.0, _FIRST / 2))
        pause = min(_LONGEST, pause * 2)
        is_first = name not in self._until
        self._until[name] = (self._monotonic() + pause, pause)
        return is_first

    def succeeded(self, name: str) -> None:
        self._until.pop(name, None)
