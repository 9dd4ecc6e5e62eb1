"""What one cycle carries to the store."""

from __future__ import annotations

import logging
from collections.abc import Collection

from msgspec import Struct

from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations.cycle import CycleResult
from windlass.worker.fetch.cycle_client import Ended
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")


class Batch(Struct, frozen=True):
    """Endings, start marks, and how many jobs to claim."""

    ended: list[Ended]
    ended_in: Collection[str]
    """Their queues."""
    starting: list[Run]
    """Runs that wait for their start mark; they are among ``marked``."""
    marked: list[Run]
    requests: list[tuple[str, int]]
    """How many jobs to claim at most, by queue."""
    takes_suspect: bool
    is_prompted: bool
    """Whether a notification is the only reason for this cycle."""
    was_called: bool
    """Whether the promotion duty (``Backlog``) found jobs that no worker has claimed."""

    @property
    def is_empty(self) -> bool:
        return not (self.ended or self.marked or self.requests)


def log_cycle(batch: Batch, result: CycleResult | None) -> None:
    """Log what a cycle carried, what it asked for and what it got, and which jobs changed their state by it."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    claimed = None if result is None else len(result.claimed)
    log.debug(
        "cycle: %s endings, %s start marks, asked for %s; %s",
        len(batch.ended),
        len(batch.marked),
        ", ".join(f"{number} of {queue}" for queue, number in batch.requests) or "no jobs",
        "no reply" if claimed is None else f"claimed {claimed}",
        extra={"event": "cycle", "claimed": claimed},
    )
    if result is not None:
        for ending, job in batch.ended:
            if job.seq not in result.refused:
                _log_transition(job, ending.state)
        for job in result.claimed:
            _log_transition(job, State.RUNNING)


def _log_transition(job: Claimed, state: State) -> None:
    fields = {**about(job, "transition"), "state": str(state)}
    log.debug("job %s (%s): %s under fence %s", job.id, job.task, state, job.fence, extra=fields)
