"""The fields of log lines that are about one job, for formatters that write them."""

from __future__ import annotations

from windlass.core.records import Claimed


def about(job: Claimed, event: str) -> dict[str, object]:
    """What a line says of a job, besides its message; ``event`` is its kind, for programs that filter."""
    return {
        "event": event,
        "job": job.id,
        "task": job.task,
        "queue": job.queue,
        "attempt": job.attempt + 1,
        "max_attempts": job.max_attempts,
        "fence": job.fence,
    }
