"""Every exception that a user can meet, in one tree.

The first part is raised *to* callers; the second is raised *by* tasks to steer their own job.
Nothing here imports anything of ours, so that the pure core may raise them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

Duration = timedelta | int | float | str
"""A length of time: a ``timedelta``, seconds, or text such as ``"90s"``, ``"10m"``, ``"2h"``, ``"7d"``."""


class WindlassError(Exception):
    """The root of everything Windlass raises."""


class ConfigError(WindlassError):
    """A setting, an option or a declaration is wrong; the message names it and the remedy."""


class AppClosed(WindlassError):
    """The app was closed; it takes no more calls."""


class PayloadError(WindlassError):
    """A value cannot be stored or read back; the message names the argument."""


class NoKey(PayloadError):
    """A stored text is encrypted under a key that is not at hand; the message names the key's id."""

    def __init__(self, text: str, *, key_id: str | None = None) -> None:
        super().__init__(text)
        self.key_id = key_id


class PayloadTooLarge(PayloadError):
    """A payload, a result or metadata is over its limit; the message has both sizes."""


class QueueFull(WindlassError):
    """The queue's ``max_length`` leaves no room; nothing of the call was stored."""

    queue: str | None = None
    """The queue that is full."""


class IdConflict(WindlassError):
    """The id is taken by a job of another task or with other arguments; nothing was stored."""


class JobNotFound(WindlassError):
    """No job has this id: it never existed, was deleted, or retention removed it."""


class ScheduleNotFound(WindlassError):
    """No schedule has this name."""


class JobFailed(WindlassError):
    """The awaited job failed for good; carries what its last attempt raised, as text.

    The original class is never rebuilt from stored data: ``type``, ``message`` and ``traceback`` are strings.
    """

    def __init__(
        self,
        text: str,
        *,
        id: str = "",
        reason: str | None = None,
        type: str | None = None,
        message: str | None = None,
        traceback: str | None = None,
    ) -> None:
        super().__init__(text)
        self.id = id
        self.reason = reason
        self.type = type
        self.message = message
        self.traceback = traceback


class JobCancelled(WindlassError):
    """The awaited job was cancelled."""


class JobTimeout(WindlassError, TimeoutError):
    """The wait took longer than its limit; says in which state the job is; the job itself goes on."""


class LimitTimeout(WindlassError, TimeoutError):
    """No token of a limit within the time that ``acquire`` was given; says when the next one is due."""


class EventTimeout(WindlassError, TimeoutError):
    """No event came within the time that ``job.wait_for`` was given; raised again by later runs of the job."""


class LeaseLost(WindlassError):
    """Another holds the job now, or it was taken away: stop side effects, nothing was written."""


class IllegalTransition(WindlassError):
    """The state of the job, queue or worker does not allow this; nothing was changed."""


class StoreUnavailable(WindlassError):
    """The store could not be reached, or refused to work, within the call's deadline."""


class StoreNotFound(StoreUnavailable):
    """There is no store here yet, and a call that only looks makes none; the message names the place.

    The first job, a worker, the duties and ``migrate`` make one.
    """


class OutcomeUnknown(StoreUnavailable):
    """The answer to a commit was lost: it may have happened. Repeating with the same ``ids`` is safe."""

    def __init__(self, text: str, *, ids: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.ids = tuple(ids)


class StartRefused(WindlassError):
    """The system refuses a thread, a process or a file that is needed to begin; later it may not."""


class UnknownTask(WindlassError):
    """No task of this name is registered with the app."""


class CommandFailed(WindlassError):
    """A command could not be started, or ended with an exit code that is no success; the text ends with its last
    output.
    """

    def __init__(self, text: str, *, exit_code: int | None = None) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        """Negative after a signal; None when it could not be started."""


class HelperFailed(WindlassError):
    """A helper answered with an error, or with something that is no answer."""


class HelperDied(WindlassError):
    """A helper ended while it had a job: a crash of that job, and of no other."""


class PermanentError(WindlassError):
    """Raised in a task: fail for good, do not retry."""


class StepRejected(PermanentError, PayloadError):
    """Raised by ``job.step``: what a step gave cannot be recorded, or the job has too many; it fails without a retry,
    which would do the step again.
    """


class StepsChanged(WindlassError):
    """Raised by a step: an earlier run has recorded something else there, so the code has changed under a job that is
    half done; the job fails (``steps_changed``).
    """


class RetryableError(WindlassError):
    """Raised in a task: a failed attempt, retried after ``delay`` if given (it overrides every other rule).

    >>> raise RetryableError("the service restarts", delay="30s")
    Traceback (most recent call last):
    windlass.errors.RetryableError: the service restarts
    """

    def __init__(self, text: str = "", *, delay: Duration | None = None) -> None:
        super().__init__(text)
        self.delay = delay


class Snooze(WindlassError):
    """Raised in a task: run again after ``delay``; no attempt is charged.

    >>> raise Snooze("10m")
    Traceback (most recent call last):
    windlass.errors.Snooze: snoozed for 10m
    """

    limit: str | None = None
    """The named limit for whose token the job waits; ``limit.acquire(snooze=True)`` says it."""

    def __init__(self, delay: Duration) -> None:
        super().__init__(f"snoozed for {delay}")
        self.delay = delay


class Throttled(WindlassError):
    """Raised in a task: the service behind it said "too many". The job goes back without an attempt charged, and a part
    of the app cools down, in all workers: the named ``limit``; with ``scope`` the ``"task"`` or the ``"queue"``; by
    default the task's rate if it has one, else the queue. Nothing of it begins for 60 s, twice as long each time, up to
    30 min; or for ``retry_after``, at least a second.

    >>> raise Throttled("429", retry_after="90s", limit="github")
    Traceback (most recent call last):
    windlass.errors.Throttled: 429
    """

    def __init__(
        self,
        text: str = "throttled",
        *,
        retry_after: Duration | None = None,
        limit: str | None = None,
        scope: str | None = None,
    ) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        self.limit = limit
        self.scope = scope


class Cancel(WindlassError):
    """Raised in a task: end the job as cancelled."""


class ReentrantCall(RuntimeError):
    """A signal handler or a finaliser called Windlass on a thread that is in the middle of a call: it would wait for
    itself. The message says what to do instead.

    No ``WindlassError``: what a signal handler raises passes through the call that it interrupted, where it must not be
    taken for an answer of the store.
    """


class JobSuspended(BaseException):
    """Raised by ``job.sleep`` and ``job.wait_for`` to end the run: the job goes on in ``delay`` milliseconds at the
    latest, perhaps elsewhere.

    Not an ``Exception``, so that a task's own ``except Exception`` does not swallow it. Clean up in ``finally`` and
    let it pass.

    >>> from windlass import ActiveJob, Windlass
    >>> from windlass.testing import ManualClock, drain, manual
    >>> app, clock = Windlass("sqlite:///:memory:"), ManualClock()
    >>> @app.task
    ... def nap(*, job: ActiveJob) -> str:
    ...     try:
    ...         job.sleep("1h")
    ...     finally:
    ...         print("cleaned up")
    ...     return "rested"
    >>> with manual(app, clock=clock):
    ...     job = nap.enqueue()
    ...     runs = drain(app)
    ...     clock.advance("1h")
    ...     runs = drain(app)
    ...     job.result()
    cleaned up
    cleaned up
    'rested'
    >>> app.close()
    """

    def __init__(self, delay: int, reason: str) -> None:
        super().__init__(f"the run ends here ({reason}); the job goes on later")
        self.delay = delay
        self.reason = reason


class JobInterrupted(BaseException):
    """Raised by the worker inside a task that has to stop: its time is over, it was cancelled, or its lease is lost.

    Not an ``Exception``, so that a task's own ``except Exception`` does not swallow it. Clean up in ``finally`` and
    let it pass: a task that swallows it is interrupted again every second, and after five seconds left to itself.

    >>> from windlass import JobFailed, Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(timeout=0.1)
    ... def spin() -> None:
    ...     try:
    ...         while True:
    ...             pass
    ...     finally:
    ...         print("cleaned up")
    >>> with app.worker():
    ...     try:
    ...         spin.options(attempts=1).enqueue().result(timeout=10)
    ...     except JobFailed as failed:
    ...         print(failed.type, failed.message)
    cleaned up
    TimeoutError ran longer than 0.1 s
    >>> app.close()
    """
