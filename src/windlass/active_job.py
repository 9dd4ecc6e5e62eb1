"""The running job, as its own task sees it: ``ActiveJob`` and ``current_job``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

from windlass import clock
from windlass.core.units import duration, milliseconds
from windlass.errors import Cancel, ConfigError, Duration, LeaseLost
from windlass.threads.in_thread import in_thread

if TYPE_CHECKING:
    from windlass.client.owner import ClientOwner
    from windlass.client.transactions import Guard
    from windlass.core.outcome import StopReason
    from windlass.core.retry import Retry
    from windlass.flows.group_flow import GroupFlow
    from windlass.limit import Limit
    from windlass.steps.run_steps import RunSteps

P = ParamSpec("P")
R = TypeVar("R")

INTERRUPTED_WITHIN = 0.1
"""Seconds that a run that waits goes on at the most when it is to stop."""


class RunControl(Protocol):
    """The worker's side of a run."""

    def report_progress(self, value: float | None, text: str | None) -> bool:
        """Show progress; false when the lease is lost."""

    def extend(self, seconds: float) -> None:
        """Let the run take this much longer, from now on."""

    @property
    def steps(self) -> RunSteps: ...

    @property
    def is_abandoned(self) -> bool:
        """Whether the worker has ended the run without waiting for its code."""

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
        """Show how far the run is, from 0 to 1, and a short text; raises ``LeaseLost`` when another run has the job.

        Waits for the store, so async tasks use ``aprogress``. While the store is away progress is dropped, and nothing
        is raised.
        """
        if value is not None and not 0 <= value <= 1:
            raise ConfigError(f"progress must lie between 0 and 1, got {value!r}")
        if not self._control.report_progress(value, text):
            raise LeaseLost(f"job {self.id}: another run has taken over (our fence is {self.fence})")
        deliver_interrupt()

    async def aprogress(self, value: float | None = None, text: str | None = None) -> None:
        """``progress`` for async code: the event loop goes on meanwhile."""
        await in_thread(self.progress, value, text)

    def extend(self, length: Duration) -> None:
        """Give this run so much time from now on, if its limit would be over sooner; the next run has the usual one."""
        self._control.extend(duration(length, "length").total_seconds())

    @overload
    def step(self, name: str, function: Callable[..., R], /, *args: Any, retry: Retry, **kwargs: Any) -> R: ...

    @overload
    def step(self, name: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def step(self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call a function once in the life of the job: its result is recorded, and later runs of the job get it back
        without calling the function.

        A run that dies between the function's return and the record calls it again. ``LeaseLost`` when another run has
        taken over. With ``retry`` the run waits and tries again where the function raises.

        >>> from windlass import ActiveJob, RetryableError, Windlass
        >>> from windlass.testing import inline
        >>> app = Windlass("sqlite:///:memory:")
        >>> def charge(order: int) -> str:
        ...     print("charged")
        ...     return f"receipt {order}"
        >>> @app.task
        ... def sell(order: int, *, job: ActiveJob) -> str:
        ...     receipt = job.step("charge", charge, order)
        ...     if len(app.job(job.id).errors) < 1:
        ...         raise RetryableError("the printer is out of paper", delay=0)
        ...     return receipt
        >>> with inline(app):
        ...     sell.enqueue(7).result()
        charged
        'receipt 7'
        >>> app.close()
        """
        from windlass.steps.calls import StepCall

        return self._control.steps.call(StepCall(name, function, args, kwargs, kwargs.pop("retry", None)))

    @overload
    async def astep(
        self, name: str, function: Callable[..., Awaitable[R]], /, *args: Any, retry: Retry, **kwargs: Any
    ) -> R: ...

    @overload
    async def astep(self, name: str, function: Callable[..., R], /, *args: Any, retry: Retry, **kwargs: Any) -> R: ...

    @overload
    async def astep(
        self, name: str, function: Callable[P, Awaitable[R]], /, *args: P.args, **kwargs: P.kwargs
    ) -> R: ...

    @overload
    async def astep(self, name: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R: ...

    async def astep(self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """``step`` for async code: a coroutine function is awaited, a plain one runs on a thread."""
        from windlass.steps.calls import StepCall

        return await self._control.steps.acall(StepCall(name, function, args, kwargs, kwargs.pop("retry", None)))

    def sleep(self, length: Duration, *, name: str | None = None) -> None:
        """End this run, and go on here when so much time has passed, on any worker; no attempt is charged and no slot
        is held meanwhile.

        The task begins anew then: what it did before is done again unless it was a ``step``, and a sleep that is over
        returns at once. Sleeps are told apart by their number in the run, or by ``name``.
        """
        self._control.steps.sleep(milliseconds(length, "length"), name)

    async def asleep(self, length: Duration, *, name: str | None = None) -> None:
        """``sleep`` for async code."""
        await self._control.steps.asleep(milliseconds(length, "length"), name)

    def wait_for(self, event: str, *, timeout: Duration | None = None, name: str | None = None) -> Any:
        """The value of an event that ``app.send`` gives: at once if it was sent in the last 7 days, the newest; else
        this run ends as with ``sleep``, and the job goes on here when the event has come.

        ``EventTimeout`` when it has not come in time; without ``timeout`` the job waits for as long as it takes.
        """
        return self._control.steps.wait_for(event, _milliseconds_or_none(timeout), name)

    async def await_for(self, event: str, *, timeout: Duration | None = None, name: str | None = None) -> Any:
        """``wait_for`` for async code."""
        return await self._control.steps.await_for(event, _milliseconds_or_none(timeout), name)

    def group(self) -> GroupFlow | None:
        """The group that this job is a member of, or the callback; None if there is none. Waits for the store.

        ``job.group().add(...)`` lets the callback wait for more members.
        """
        from windlass.flows.group_flow import group_of

        return self._app.client.session.run(group_of(self._app.client, self.id))

    async def agroup(self) -> GroupFlow | None:
        """``group`` for async code."""
        from windlass.flows.group_flow import group_of

        return await self._app.client.session.arun(group_of(self._app.client, self.id))

    def limit(self, name: str) -> Limit:
        """A named limit, as ``app.limit(name)``: ``job.limit("github").acquire()`` before each call of the service."""
        from windlass.limit import limit_of

        return limit_of(self._app, name)

    def guard(self, connection: object) -> Guard:
        """A block in which the connection's transaction is committed only while the job is this run's own.

        ``with job.guard(connection):``, or ``async with`` where the connection is an async one. Raises ``LeaseLost``
        at its beginning when another run has taken over; after that the job cannot be taken over until the transaction
        ends. The connection is one to the store's own database, as for ``app.transaction``.
        """
        from windlass.client.transactions import Guard

        control = self._control
        return Guard(self._app.client, connection, id=self.id, fence=self.fence, is_over=lambda: control.is_abandoned)

    def checkpoint(self) -> None:
        """Stop here if this run is to stop: raises ``Cancel`` or ``LeaseLost``; otherwise does nothing."""
        self.is_cooperative = True
        if self._control.is_cancelled:
            raise Cancel(f"job {self.id} was cancelled")
        if self._control.is_stopping:
            raise LeaseLost(f"job {self.id}: the worker gives this run up")

    def __repr__(self) -> str:
        return f"<ActiveJob {self.id} {self.task} attempt {self.attempt}>"


def _milliseconds_or_none(timeout: Duration | None) -> int | None:
    return None if timeout is None else milliseconds(timeout, "timeout")


class Run(Protocol):
    """Whatever runs a job; the face for the task is made only when the task asks for it."""

    @property
    def active(self) -> ActiveJob: ...

    @property
    def worker(self) -> str | None:
        """The name of the worker that it belongs to."""

    @property
    def is_encrypted(self) -> bool:
        """Whether its texts are encrypted in the store."""

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


def wait_in_run(seconds: float) -> None:
    """Block; a run that is to stop raises what ``checkpoint`` raises."""
    until = clock.monotonic() + seconds
    while True:
        deliver_interrupt()
        run = running.get()
        if run is not None and run.stop is not None:
            run.active.checkpoint()
        left = until - clock.monotonic()
        if left <= 0:
            return
        clock.sleep(min(left, INTERRUPTED_WITHIN))


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
