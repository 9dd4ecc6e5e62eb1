"""The running job, as its own task sees it: ``ActiveJob`` and ``current_job``."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, cast

from windlass.core.units import duration
from windlass.errors import Cancel, ConfigError, Duration, LeaseLost

if TYPE_CHECKING:
    from windlass.client.owner import ClientOwner
    from windlass.core.outcome import StopReason
    from windlass.limit import Limit


class RunControl(Protocol):
    """The worker's side of a run."""

    def report_progress(self, value: float | None, text: str | None) -> bool:
        """Show progress; false when the lease is lost."""

    def extend(self, seconds: float) -> None:
        """Let the run take this much longer, from now on."""

    @property
    def is_cancelled(self) -> bool: ...

    @property
    def is_stopping(self) -> bool: ...


class ActiveJob:
    """Given by ``current_job()``, or to a parameter annotated ``job: ActiveJob``.

    ``fence`` grows with every claim of the job: pass it along with your own writes to guard them against a run that
    was declared dead and woke up again.

    >>> from windlass import ActiveJob, Windlass
    >>> from windlass.testing import inline
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def copy(files: list[str], *, job: ActiveJob) -> int:
    ...     for number, file in enumerate(files, start=1):
    ...         job.checkpoint()  # stops here if this run is to stop
    ...         job.progress(number / len(files), file)
    ...     return job.attempt
    >>> with inline(app):
    ...     job = app.enqueue(copy, ["a", "b"])
    >>> job.result(), job.refresh().progress
    (1, Progress(value=1.0, text='b'))
    >>> app.close()
    """

    __slots__ = (
        "_app",
        "_control",
        "_meta",
        "attempt",
        "correlation_id",
        "fence",
        "id",
        "is_cooperative",
        "max_attempts",
        "planned_at",
        "queue",
        "schedule",
        "task",
    )

    def __init__(
        self,
        *,
        id: str,
        task: str,
        queue: str,
        attempt: int,
        max_attempts: int,
        fence: int,
        correlation_id: str,
        meta: Callable[[], dict[str, Any]],
        control: RunControl,
        app: ClientOwner,
        schedule: str | None = None,
        planned_at: datetime | None = None,
    ) -> None:
        self.id = id
        self.task = task
        self.queue = queue
        self.attempt = attempt
        """Which run this is, counted from 1."""
        self.max_attempts = max_attempts
        self.fence = fence
        self.correlation_id = correlation_id
        self.schedule = schedule
        """The name of the schedule that made the job; None for a job that was enqueued."""
        self.planned_at = planned_at
        """The slot of that schedule, so that a late run knows which day it is for; None for one that was run now."""
        self.is_cooperative = False
        """Whether the task has asked whether it should stop; such a task gets time before it is interrupted."""
        self._meta = meta
        self._control = control
        self._app = app

    @property
    def meta(self) -> dict[str, Any]:
        """What was given as ``meta=`` when the job was enqueued."""
        return self._meta()

    @property
    def cancelled(self) -> bool:
        """Whether this run should stop: a cancel request, its time is over, a lost lease, a shutdown beyond its grace.

        A task that looks here, or calls ``checkpoint()``, has a second to stop by itself before it is interrupted.
        """
        self.is_cooperative = True
        return self._control.is_cancelled or self._control.is_stopping

    def progress(self, value: float | None = None, text: str | None = None) -> None:
        """Show how far the run is, from 0 to 1, with a word about it; raises ``LeaseLost`` when it is ours no more.

        Waits for the store, so async tasks use ``aprogress``. A store that is away is none of the task's business: what
        cannot be shown now is left out.
        """
        if value is not None and not 0 <= value <= 1:
            raise ConfigError(f"progress must lie between 0 and 1, got {value!r}")
        if not self._control.report_progress(value, text):
            raise LeaseLost(f"job {self.id}: another run has taken over (our fence is {self.fence})")
        deliver_interrupt()

    async def aprogress(self, value: float | None = None, text: str | None = None) -> None:
        """``progress`` for async code: the event loop goes on meanwhile."""
        import asyncio

        await asyncio.to_thread(self.progress, value, text)

    def extend(self, length: Duration) -> None:
        """Give this run so much time from now on, if its limit would be over sooner; the next run has the usual one."""
        self._control.extend(duration(length, "length").total_seconds())

    def limit(self, name: str) -> Limit:
        """A named limit, as ``app.limit(name)``: ``job.limit("github").acquire()`` before each call of the service."""
        from windlass.limit import limit_of

        return limit_of(self._app, name)

    def checkpoint(self) -> None:
        """Stop here if this run is to stop: raises ``Cancel`` or ``LeaseLost``; otherwise does nothing."""
        self.is_cooperative = True
        if self._control.is_cancelled:
            raise Cancel(f"job {self.id} was cancelled")
        if self._control.is_stopping:
            raise LeaseLost(f"job {self.id}: the worker gives this run up")

    def __repr__(self) -> str:
        return f"<ActiveJob {self.id} {self.task} attempt {self.attempt}>"


class Run(Protocol):
    """Whatever runs a job; the face for the task is made only when the task asks for it."""

    @property
    def active(self) -> ActiveJob: ...

    @property
    def stop(self) -> StopReason | None:
        """Why it has to stop, if it has to."""

    def logged(self, entry: str) -> None:
        """Keep what the job logged, for its history."""

    def printed(self, text: str) -> None:
        """Keep what the job printed; a line may come in pieces."""

    def deliver_interrupt(self) -> None:
        """Raise ``JobInterrupted`` if the worker wants that and could not raise it in the middle of our own code."""


running: ContextVar[Run | None] = ContextVar("windlass_running", default=None)
"""What the current thread or coroutine runs."""


def deliver_interrupt() -> None:
    """For the end of a call of ours, and where no lock is held: an interrupt that came meanwhile is raised here."""
    run = running.get()
    if run is not None:
        run.deliver_interrupt()


def current_job() -> ActiveJob:
    """The job this code runs in; outside a task it raises ``ConfigError``.

    >>> from windlass import Windlass, current_job
    >>> from windlass.testing import inline
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def which_run() -> int:
    ...     return current_job().attempt
    >>> with inline(app):
    ...     which_run.enqueue().result()
    1
    >>> app.close()
    """
    run = running.get()
    if run is None:
        raise ConfigError("current_job() works only inside a running task")
    return run.active


class _ThisJob:
    """Passes everything on to the job in which it is asked."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # tools that look at every name of a module ask for those
            raise AttributeError(name)
        return getattr(current_job(), name)

    def __repr__(self) -> str:
        run = running.get()
        return "<this job, outside of any>" if run is None else repr(run.active)


this_job = cast(ActiveJob, _ThisJob())
"""The job in which it is used, as ``current_job()``: as a default value, or anywhere inside a task.

A parameter with this default may be left out for type checkers, which cannot know that the worker fills it in.

>>> from windlass import ActiveJob, Windlass, this_job
>>> from windlass.testing import inline
>>> app = Windlass("sqlite:///:memory:")
>>> @app.task
... def report(pages: int, job: ActiveJob = this_job) -> str:
...     return f"{pages} pages, attempt {job.attempt}"
>>> with inline(app):
...     report.enqueue(3).result()
'3 pages, attempt 1'
>>> app.close()
"""
