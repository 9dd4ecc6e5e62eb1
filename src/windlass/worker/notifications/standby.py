"""Which of many idle workers are notified of new jobs: a few are enough."""

from __future__ import annotations

from collections.abc import Callable

_FEW = 4
"""Up to so many peers are all notified; of more about so many, besides those that have claimed jobs lately."""
_MISSES = 8
"""After so many notifications in a row that gave it no job a worker leaves them to the others."""
_EVERY = 10.0
"""Seconds after which a worker that has claimed nothing because of a notification draws again."""
_SOON = 1.0
"""The same for a worker that knows of few peers; one that has just started knows of none."""


class Standby:
    """Decides whether this worker is on standby: then it is notified only of jobs that other workers left unclaimed.

    Each process that is woken costs the machine time, and 64 of them more than the job. There is no coordination: each
    worker draws now and then, leaves when others are always faster, and stays as long as notifications give it jobs.
    The keeper of the store is never on standby; it finds jobs that were left unclaimed, and notifies all workers of
    them.

    For the pump's thread. ``peers`` returns how many workers serve the same queues, this one among them, ``is_keeper``
    whether this one is the keeper.
    """

    def __init__(self, *, peers: Callable[[], int], is_keeper: Callable[[], bool]) -> None:
        self._peers = peers
        self._is_keeper = is_keeper
        self._misses = 0
        self._has_paid = False
        self.is_on = False
        self.draws_at = 0.0
        """When to call ``draw`` again."""

    def learn(self, *, has_paid: bool) -> None:
        """Learn from a cycle that only a notification had caused: ``has_paid`` says whether it claimed a job."""
        if has_paid:
            self._misses, self._has_paid, self.is_on = 0, True, False
            return
        self._misses += 1
        if self._misses >= _MISSES and self._is_one_of_many:
            self._has_paid, self.is_on = False, True

    def draw(self, now: float, *, roll: float) -> None:
        """Decide again; ``roll`` is random, at least 0 and below 1."""
        self.draws_at = now + (_EVERY if self._is_one_of_many else _SOON) * (0.75 + roll / 2)
        if not self._is_one_of_many:
            self.is_on = False
        elif not self._has_paid:
            self._misses, self.is_on = 0, roll >= _FEW / self._peers()
        self._has_paid = False

    @property
    def _is_one_of_many(self) -> bool:
        return self._peers() > _FEW and not self._is_keeper()
