"""Notifications that wait for the pump, and which of them make it claim at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from math import inf

from msgspec import Struct

_GOING = 2
"""How many workers try to claim each job at least, on average. That none does happens once in eight times; then the
keeper of the store finds the job about 20 ms later.
"""
_FEW = 4
"""Up to so many workers all try to claim: no job has to wait for the keeper to find it."""
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

    A notification of another process reaches all workers, and few are needed. Each worker learns how often an immediate
    claim succeeds: with many idle workers each soon follows a small share of the notifications, so that two to four try
    to claim each job; few workers, and those whose neighbours are busy, follow all of them. A worker that does not
    claim at once considers the notification in its next cycle; a job that no worker tried to claim is found by the
    promotion duty (``Backlog``), which notifies all of them.

    ``workers`` returns how many there are.
    """

    def __init__(self, served: Collection[str], *, workers: Callable[[], int] = lambda: 1) -> None:
        self._served = served
        self._workers = workers
        self._is_any = True
        self._queues: deque[str] = deque()
        self._is_from_here = True
        self._share = 1.0
        self._due = 0.0

    @property
    def due(self) -> float | None:
        """When to claim because of a notification: 0 is at once, infinity only with another reason; None without a
        notification.
        """
        return self._due if self._is_any or self._queues else None

    def add(self, queue: str | None = None) -> None:
        """Jobs may have come, into this queue or into any; perhaps only this process was notified."""
        self._is_from_here = True
        self._due = 0.0
        self._add(queue)

    def add_from_elsewhere(self, queue: str | None, *, roll: float) -> bool:
        """Another process has notified of jobs; ``roll`` is random, at least 0 and below 1. Returns whether to claim at
        once.
        """
        if queue is not None and queue not in self._served:
            return False
        is_going = roll < self._share
        if is_going:
            self._due = 0.0
        elif self.due is None:
            self._due = inf
        self._add(queue)
        return is_going

    def take(self, *, is_going: bool) -> Notified | None:
        """The notifications for this cycle; None without any, or if they are left to other workers and nothing else
        needs a cycle.
        """
        due = self.due
        if due is None or (due and not is_going):
            return None
        is_only_reason = not (self._is_from_here or is_going)
        self._is_from_here = False
        is_any, self._is_any = self._is_any, False
        queues = tuple(self._queues.popleft() for _ in range(len(self._queues)))
        return Notified(is_any, queues, is_only_reason)

    def learn(self, *, has_paid: bool) -> None:
        """Learn from a cycle that only a notification had caused: ``has_paid`` says whether it claimed a job."""
        workers = self._workers()
        least = 1.0 if workers <= _FEW else _GOING / workers
        self._share = min(1.0, self._share * 4) if has_paid else max(least, self._share / 2)

    def _add(self, queue: str | None) -> None:
        if queue is None or len(self._queues) >= _NAMED:
            self._is_any = True
        else:
            self._queues.append(queue)
