"""Replaces a child after so many jobs or above so much memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from msgspec import Struct

from windlass.worker.runs.run import Run


class ChildLimits(Struct, frozen=True):
    """How many children there are, and when one is replaced: after so many jobs, above so many bytes."""

    count: int
    max_jobs: int | None = None
    max_memory: int | None = None


class ChildUsage:
    """What one child has done so far. The worker's limits count all jobs, those of a task its own."""

    def __init__(self, limits: ChildLimits) -> None:
        self._limits = limits
        self._done = 0
        self._done_of: Counter[str] = Counter()

    def allows(self, run: Run, held: Collection[Run]) -> bool:
        """Whether it may take one more run, beside those that it holds."""
        if self._limits.max_jobs is not None and self._done + len(held) >= self._limits.max_jobs:
            return False
        most = run.task.settings.recycle_after
        if most is None:
            return True
        return self._done_of[run.job.task] + sum(one.job.task == run.job.task for one in held) < most

    def count(self, run: Run) -> None:
        """The child has done one more run."""
        self._done += 1
        if run.task.settings.recycle_after is not None:
            self._done_of[run.job.task] += 1

    def is_over(self, run: Run, memory: Callable[[], int]) -> bool:
        """Whether the child is to be replaced now that this run has ended."""
        settings = run.task.settings
        if self._limits.max_jobs is not None and self._done >= self._limits.max_jobs:
            return True
        if settings.recycle_after is not None and self._done_of[run.job.task] >= settings.recycle_after:
            return True
        limits = [limit for limit in (self._limits.max_memory, settings.memory_limit) if limit is not None]
        return bool(limits) and memory() > min(limits)
