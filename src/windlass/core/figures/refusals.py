"""Counts jobs that were refused because their queue was full, in the process that wanted to enqueue them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import RLock

from windlass.core.figures.point import Point
from windlass.core.figures.row import SERIES_AT_MOST, Row

REFUSED = "refused"
_EVERY = 1_000
"""Milliseconds between two rows of one process: a caller that tries again and again costs the store no more."""


class Refusals:
    """Gathers what was refused; the first is given at once, the others a second later, with the next refusal."""

    def __init__(self) -> None:
        self._lock = RLock()  # a signal handler may enqueue, too
        self._counts: Counter[tuple[str, str]] = Counter()
        self._number = 0

    def add(self, queue: str, tasks: Iterable[str], *, now: int) -> tuple[int, Row] | None:
        """Count the jobs of a call, by their tasks; a row to be sent and its number, or None if one was sent just now.

        >>> refusals = Refusals()
        >>> refusals.add("mail", ["send"], now=5_000)[1].jobs[0][2].counts
        {'refused': 1}
        >>> refusals.add("mail", ["send"], now=5_999) is None
        True
        """
        with self._lock:
            for task in tasks:
                key = (queue, task)
                if key in self._counts or len(self._counts) < SERIES_AT_MOST:
                    self._counts[key] += 1
            if 0 <= now - self._number < _EVERY:
                return None
            self._number = max(self._number + 1, now)
            jobs = [(name, task, Point({REFUSED: number})) for (name, task), number in self._counts.items()]
            self._counts = Counter()
            return self._number, Row("", jobs)
