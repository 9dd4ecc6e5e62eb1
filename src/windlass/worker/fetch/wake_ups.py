"""Which notifications a worker goes to the store for, and when."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import inf

_GOING = 2
"""How many of all workers go for each job at least, on average. That none does happens once in eight times; then the
keeper of the store finds the job when it looks, about 20 ms later.
"""
_FEW = 4
"""So few workers all go: none has to wait for the keeper to find what the others left to each other."""
_NAMED = 1000
"""Of so many queues at once the names are kept; with more news all queues are looked into."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What there is news of."""

    is_any: bool
    """Whether it may be of any queue."""
    queues: tuple[str, ...]
    is_only_reason: bool
    """Whether there was no other reason to go to the store."""


class WakeUps:
    """Keeps news until the pump goes to the store for them. ``hear`` and ``hear_elsewhere`` may be called from any
    thread, the rest from the pump's.

    News of another process are heard by all workers, and few are needed. Each learns how often going at once pays:
    with many idle workers each soon goes for a small share of the news, so that two to four go for each job; few
    workers, and those whose neighbours are busy, go for all of it. One that does not go at once takes the news along
    when it goes anyway; what none went for is found by the next look at the whole store, which calls all of them.

    ``workers`` tells how many there are.
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
        """When to go for what was heard: at once, or never by itself; None where there was nothing."""
        return self._due if self._is_any or self._queues else None

    def hear(self, queue: str | None = None) -> None:
        """Jobs may have come, into this queue or into any; none but this process may know."""
        self._is_from_here = True
        self._due = 0.0
        self._add(queue)

    def hear_elsewhere(self, queue: str | None, *, roll: float) -> bool:
        """Another process has told of jobs; ``roll`` is random, at least 0 and below 1. Whether to go at once."""
        if queue is not None and queue not in self._served:
            return False
        is_going = roll < self._share
        if is_going:
            self._due = 0.0
        elif self.due is None:
            self._due = inf
        self._add(queue)
        return is_going

    def take(self, *, is_going: bool) -> Heard | None:
        """What to look for now; nothing where there is no news, or it is left to others and we are not going anyway."""
        due = self.due
        if due is None or (due and not is_going):
            return None
        is_only_reason = not (self._is_from_here or is_going)
        self._is_from_here = False
        is_any, self._is_any = self._is_any, False
        queues = tuple(self._queues.popleft() for _ in range(len(self._queues)))
        return Heard(is_any, queues, is_only_reason)

    def learn(self, *, has_paid: bool) -> None:
        """Whether a look that news were the only reason for has found a job."""
        workers = self._workers()
        least = 1.0 if workers <= _FEW else _GOING / workers
        self._share = min(1.0, self._share * 4) if has_paid else max(least, self._share / 2)

    def _add(self, queue: str | None) -> None:
        if queue is None or len(self._queues) >= _NAMED:
            self._is_any = True
        else:
            self._queues.append(queue)
