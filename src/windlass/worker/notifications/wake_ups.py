"""Notifications that wait for the pump."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from msgspec import Struct

_NAMED = 1000
"""The names of so many notified queues are kept; with more all queues are checked."""


class Notified(Struct, frozen=True):
    """What the pump was notified of."""

    is_any: bool
    """Whether any queue may have jobs."""
    queues: tuple[str, ...]
    is_only_reason: bool
    """Whether there is no other reason for a cycle."""


class WakeUps:
    """Keeps notifications until the pump's next cycle. ``add`` and ``add_from_elsewhere`` may be called from any
    thread, the rest from the pump's.
    """

    def __init__(self, served: Collection[str]) -> None:
        self._served = served
        self._is_any = True
        self._queues: deque[str] = deque()
        self._is_from_here = True

    @property
    def is_waiting(self) -> bool:
        """Whether there is a notification."""
        return self._is_any or bool(self._queues)

    def add(self, queue: str | None = None) -> None:
        """Jobs may have come, into this queue or into any; perhaps only this process was notified."""
        self._is_from_here = True
        self._add(queue)

    def add_from_elsewhere(self, queue: str | None) -> bool:
        """Another process has notified of jobs; returns whether they may be for this worker."""
        if queue is not None and queue not in self._served:
            return False
        self._add(queue)
        return True

    def take(self, *, is_going: bool) -> Notified | None:
        """The notifications for this cycle, if there are any; ``is_going`` says that there would be a cycle anyway."""
        if not self.is_waiting:
            return None
        is_only_reason = not (self._is_from_here or is_going)
        self._is_from_here = False
        is_any, self._is_any = self._is_any, False
        queues = tuple(self._queues.popleft() for _ in range(len(self._queues)))
        return Notified(is_any, queues, is_only_reason)

    def _add(self, queue: str | None) -> None:
        if queue is None or len(self._queues) >= _NAMED:
            self._is_any = True
        else:
            self._queues.append(queue)
