"""One run of one job."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock, get_ident
from typing import Any, TypeVar

from msgspec.structs import replace

from windlass import clock
from windlass.active_job import ActiveJob
from windlass.core.encryption.jobs import EncryptedJob
from windlass.core.fault import Excerpt
from windlass.core.meta import read_meta
from windlass.core.outcome import StopReason
from windlass.core.records import Claimed
from windlass.core.suspect import is_suspect
from windlass.errors import ConfigError, JobInterrupted
from windlass.steps.run_steps import RunSteps, StepStore
from windlass.store.operation import Operation
from windlass.task import Task
from windlass.worker.runs.logs.job_log import JobLog

A = TypeVar("A")
ReportProgress = Callable[["Run", float | None, str | None], bool]

_first_lines = RLock()
"""Held while a run's log or steps are made; most runs have none, and need no lock of their own."""


class Run:
    """A claimed job on its way through the worker. Its flags may be set from any thread."""

    __slots__ = (
        "_active",
        "_log",
        "_report",
        "_step_store",
        "_steps",
        "claimed",
        "ends_at",
        "is_abandoned",
        "is_marked",
        "is_overtime_noted",
        "job",
        "last_asked",
        "slot",
        "started",
        "stop",
        "stop_asked",
        "task",
        "thread",
        "wants_interrupt",
    )

    def __init__(
        self,
        job: Claimed,
        task: Task[..., Any],
        *,
        claimed: float,
        report: ReportProgress,
        steps: StepStore | None = None,
    ) -> None:
        self.job = job
        self.task = task
        self.claimed = claimed
        """When it came from the store, on the monotonic clock."""
        self.started: float | None = None
        """When user code began, on the monotonic clock."""
        self.ends_at: float | None = None
        """When its time limit ends, on the monotonic clock."""
        self.is_abandoned = False
        """Whether the worker has abandoned it; its result is dropped."""
        self.is_marked = False
        """Whether its start mark is in the store."""
        self.is_overtime_noted = False
        """Whether the store has the event that it did not stop at its time limit."""
        self.stop: StopReason | None = None
        self.stop_asked = 0.0
        """When it was first asked to stop, on the monotonic clock."""
        self.last_asked = 0.0
        self.slot: object = None
        """Where an executor runs it; used by the executor only."""
        self.thread = 0
        """The thread of a plain function, while it runs."""
        self.wants_interrupt = False
        """Whether it is to be interrupted, and was not in user code when that was tried."""
        self._report = report
        self._step_store = steps
        self._steps: RunSteps | None = None
        self._active: ActiveJob | None = None
        self._log: JobLog | None = None

    def begin(self, now: float) -> None:
        """User code begins."""
        self.started = now
        if self.job.timeout is not None:
            self.ends_at = now + self.job.timeout / 1000

    def extend(self, seconds: float) -> None:
        """Let it take this much longer, from now on; never shortens its time."""
        if self.ends_at is not None:
            self.ends_at = max(self.ends_at, clock.monotonic() + seconds)

    @property
    def time_limit(self) -> float:
        """How many seconds it was given, 0 for no limit."""
        return 0.0 if self.ends_at is None or self.started is None else self.ends_at - self.started

    @property
    def has_to_be_marked(self) -> bool:
        """Whether its start mark must be in the store before it starts: for the last allowed attempt, which must not
        run again, and for a suspect, to which a death is charged.
        """
        return self.job.attempt + 1 >= self.job.max_attempts or is_suspect(self.job)

    def is_expired(self, now: float) -> bool:
        """Whether it is too late to start it."""
        left = self.job.expires_in
        return left is not None and (now - self.claimed) * 1000 >= left

    @property
    def is_suspect(self) -> bool:
        return is_suspect(self.job)

    @property
    def active(self) -> ActiveJob:
        """The ``ActiveJob`` for the task; made at first use."""
        if self._active is None:
            job, meta = self.job, read_meta(self.job.meta)
            self._active = ActiveJob(
                id=job.id,
                task=job.task,
                queue=job.queue,
                attempt=job.attempt + 1,
                max_attempts=job.max_attempts,
                fence=job.fence,
                correlation_id=meta.correlation_id or job.id,
                meta=lambda: dict(read_meta(job.meta).meta),
                control=self,
                app=self.task.app,
                schedule=meta.schedule,
                planned_at=clock.instant_or_none(meta.planned_at),
            )
        return self._active

    def let_go(self) -> None:
        """After its end: break the reference cycles with its ``ActiveJob`` and its steps, so that no garbage collection
        is needed.
        """
        self._active = self._steps = None

    @property
    def steps(self) -> RunSteps:
        """Its durable steps; made at first use."""
        with _first_lines:
            if self._steps is None:
                self._steps = RunSteps(self._opened_steps(), self)
            return self._steps

    def ask_store(self, operation: Operation[A]) -> A:
        """Run an operation of its steps, for the child in which it runs."""
        store = self._opened_steps()
        return store.session.run(store.ask(self, operation))

    def _opened_steps(self) -> StepStore:
        if self._step_store is None:
            raise ConfigError(f"job {self.job.id}: this run cannot record steps")
        return self._step_store

    @property
    def worker(self) -> str | None:
        """The name of its worker; None for a run without one, which cannot record steps either."""
        return None if self._step_store is None else self._step_store.worker

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def seq(self) -> int:
        return self.job.seq

    @property
    def fence(self) -> int:
        return self.job.fence

    @property
    def is_encrypted(self) -> bool:
        """Whether its texts are encrypted in the store."""
        return isinstance(self.job, EncryptedJob)

    def renew_budget(self) -> None:
        """The job gets on: a step is being recorded, with which the store forgets what failed before."""
        if self.job.attempt or is_suspect(self.job):
            self.job = replace(self.job, attempt=0, crashes=0, rescues=0)

    def checkpoint(self) -> None:
        """Raise if it has to stop."""
        if self.stop is not None:
            self.active.checkpoint()

    @property
    def is_cooperative(self) -> bool:
        """Whether the task checks for itself whether it should stop."""
        return self._active is not None and self._active.is_cooperative

    @property
    def is_cancelled(self) -> bool:
        return self.stop is StopReason.CANCELLED

    @property
    def is_stopping(self) -> bool:
        return self.stop is not None

    @property
    def said(self) -> Excerpt | None:
        """What the task has logged and printed; None if it was silent."""
        return None if self._log is None else self._log.excerpt()

    def logged(self, entry: str) -> None:
        self._started_log().add(entry)

    def printed(self, text: str) -> None:
        self._started_log().print(text)

    def _started_log(self) -> JobLog:
        log = self._log
        if log is not None:
            return log
        with _first_lines:
            if self._log is None:
                self._log = JobLog()
            return self._log

    def deliver_interrupt(self) -> None:
        """Raise what could not be raised while the run's thread was in our own code; called where that is left."""
        if self.wants_interrupt and self.thread == get_ident():
            self.wants_interrupt = False
            raise JobInterrupted

    def report_progress(self, value: float | None, text: str | None) -> bool:
        return self._report(self, value, text)
