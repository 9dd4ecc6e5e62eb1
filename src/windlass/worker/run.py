"""One run of one job, as the worker follows it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from windlass.active import ActiveJob
from windlass.core.meta import read_meta
from windlass.core.record import Claimed
from windlass.task import Task

ReportProgress = Callable[["Run", float | None, str | None], bool]


class Stop(Enum):
    """Why a run is asked to stop."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    GIVEN_UP = "given up"
    """The lease is lost, or the worker shuts down: the job goes back uncharged."""


class Run:
    """A claimed job on its way through the worker. Its flags may be set from any thread."""

    __slots__ = (
        "_active",
        "_report",
        "claimed",
        "ends_at",
        "is_marked",
        "job",
        "seat",
        "started",
        "stop",
        "stop_asked",
        "task",
    )

    def __init__(self, job: Claimed, task: Task[..., Any], *, claimed: float, report: ReportProgress) -> None:
        self.job = job
        self.task = task
        self.claimed = claimed
        """When it came from the store, on the monotonic clock."""
        self.started: float | None = None
        """When user code began, on the monotonic clock."""
        self.ends_at: float | None = None
        """When its time limit is over, on the monotonic clock."""
        self.is_marked = False
        """Whether the store knows that user code has begun."""
        self.stop: Stop | None = None
        self.stop_asked = 0.0
        """When it was first asked to stop, on the monotonic clock."""
        self.seat: object = None
        """Where an executor runs it; the executor's own affair."""
        self._report = report
        self._active: ActiveJob | None = None

    def begin(self, now: float) -> None:
        """User code begins."""
        self.started = now
        if self.job.timeout is not None:
            self.ends_at = now + self.job.timeout / 1000

    @property
    def is_last_attempt(self) -> bool:
        return self.job.attempt + 1 >= self.job.max_attempts

    @property
    def active(self) -> ActiveJob:
        """The face that the task sees; made when it is asked for."""
        if self._active is None:
            job = self.job
            self._active = ActiveJob(
                id=job.id,
                task=job.task,
                queue=job.queue,
                attempt=job.attempt + 1,
                max_attempts=job.max_attempts,
                fence=job.fence,
                correlation_id=read_meta(job.meta).correlation_id or job.id,
                meta=lambda: dict(read_meta(job.meta).meta),
                control=self,
            )
        return self._active

    @property
    def is_cancelled(self) -> bool:
        return self.stop is Stop.CANCELLED

    @property
    def is_stopping(self) -> bool:
        return self.stop is not None

    def report_progress(self, value: float | None, text: str | None) -> bool:
        return self._report(self, value, text)
