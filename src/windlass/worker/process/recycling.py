"""When a worker process is replaced: after so many jobs or above so much memory."""

from __future__ import annotations

from msgspec import Struct

from windlass.worker.process.resources import resident_memory
from windlass.worker.worker import Worker


class ProcessLimits(Struct, frozen=True, kw_only=True):
    """How much one process may do; None is no limit. It is replaced between jobs, so it may do a little more."""

    max_jobs: int | None = None
    max_memory: int | None = None
    """In bytes."""

    def are_reached(self, worker: Worker) -> bool:
        """True only after the first job: a limit below what an idle process needs must not restart it for ever."""
        ended = worker.ended_count
        if not ended:
            return False
        if self.max_jobs is not None and ended >= self.max_jobs:
            return True
        return self.max_memory is not None and resident_memory() >= self.max_memory
