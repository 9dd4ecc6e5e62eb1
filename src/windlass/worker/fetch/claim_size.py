"""How many jobs and endings one cycle may carry, by their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from windlass.core.ending import Ending
from windlass.core.records import Claimed
from windlass.store.pages import PAGE_BYTES
from windlass.worker.fetch.cycle_client import Ended

_UNKNOWN = 64 * 1024
"""Bytes; the assumed size of a job before any was seen: the first claim of a worker asks for 64 jobs at the most."""


class ClaimSize:
    """How many jobs a claim may ask for, by the size of the last ones.

    The store does not know the size of jobs before it has read them, and no claim may read them twice. So a worker
    learns it: after large jobs at once, after small ones by and by. After a claim that failed, perhaps by its size, the
    next ones ask for half as many and then, step by step, for more.
    """

    def __init__(self) -> None:
        self._each = float(_UNKNOWN)
        self._bound = inf

    @property
    def most(self) -> int:
        return max(1, int(min(PAGE_BYTES / self._each, self._bound)))

    def note(self, claimed: Sequence[Claimed]) -> None:
        """Take in the jobs of a claim."""
        if claimed:
            mean = sum([len(job.payload) + len(job.errors or "") for job in claimed]) / len(claimed)
            self._each = max(mean, self._each / 2, 1.0)
            self._bound = 1.25 * self._bound + 1

    def note_failure(self, asked: int) -> None:
        """A claim of so many jobs has failed."""
        self._bound = max(1.0, asked / 2)


def first_page(ended: list[Ended]) -> list[Ended]:
    """As many of the endings, in order, as one cycle can carry; at least one."""
    total = 0
    for number, (ending, _) in enumerate(ended):
        total += _size(ending)
        if total > PAGE_BYTES and number:
            return ended[:number]
    return ended


def _size(ending: Ending) -> int:
    return len(ending.result or "") + len(ending.errors or "")
