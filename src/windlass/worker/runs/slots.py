"""How many runs may be under way, also while the system refuses threads or processes."""

from __future__ import annotations

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 10.0


class Slots:
    """As many as the worker's concurrency; after a refused start only as many as run already, then more step by step.

    Not thread-safe: the dispatcher's lock guards it. Times are seconds on the monotonic clock.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.count = most
        self._pause = _FIRST_PAUSE
        self._again = 0.0
        """When to try more slots, if there are fewer than usual."""
        self._was_refused = False
        """Whether a start was refused since more were last tried."""

    @property
    def missing(self) -> int:
        """How many slots are out of use."""
        return self._most - self.count

    def refuse(self, *, running: int, now: float) -> bool:
        """A start was refused while ``running`` others ran; true for the first refusal since the last growth.

        >>> slots = Slots(10)
        >>> slots.refuse(running=3, now=0.0), slots.refuse(running=3, now=0.01), slots.count
        (True, False, 3)
        """
        is_new = not self.missing
        if not self._was_refused:
            # Several that are refused in one moment are one refusal.
            self._pause = _FIRST_PAUSE if is_new else min(_LONGEST_PAUSE, self._pause * 2)
            self._again = now + self._pause
        self._was_refused = True
        self.count = min(self.count, running)
        return is_new

    def grow(self, now: float) -> bool:
        """Double the slots if it is time; true if it was.

        >>> slots = Slots(10)
        >>> slots.refuse(running=0, now=0.0)
        True
        >>> [(slots.grow(now), slots.count) for now in (0.1, 0.3, 0.4, 0.6)]
        [(False, 0), (True, 1), (False, 1), (True, 2)]
        """
        if not self.missing or now < self._again:
            return False
        if not self._was_refused:
            self._pause = _FIRST_PAUSE
        self._was_refused = False
        self._again = now + self._pause
        self.count = min(self._most, max(1, 2 * self.count))
        return True
