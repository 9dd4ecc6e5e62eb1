"""Turns a claimed job into a call, and the outcome of the call into an ending."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from msgspec.structs import replace

from windlass import clock
from windlass.client.tasks.registry import UnloadedTask
from windlass.core import validate
from windlass.core.codec import Codec, NewerFormat
from windlass.core.codec.stored_text.storable import storable
from windlass.core.decide import decide, patience
from windlass.core.encryption.encryption import NO_ENCRYPTION, Encryption
from windlass.core.encryption.jobs import EncryptedJob, seal_ending
from windlass.core.encryption.text import refuse_unopened
from windlass.core.ending import Ending
from windlass.core.fault import Excerpt, Fault, read_faults
from windlass.core.flows.inputs import has_group, has_inputs, refusal_of
from windlass.core.meta import is_readable
from windlass.core.outcome import (
    EXPIRED,
    Cancelled,
    FailedPermanently,
    Interrupted,
    Lost,
    Outcome,
    Postponed,
    Raised,
    Returned,
    StopReason,
    Throttle,
    token_reason,
)
from windlass.core.rates.cooldown import FLAT, SHORTEST
from windlass.core.records import Claimed
from windlass.core.retry import Retry, read_retry
from windlass.core.units import milliseconds
from windlass.errors import (
    Cancel,
    ConfigError,
    HelperDied,
    JobInterrupted,
    JobSuspended,
    LeaseLost,
    NoKey,
    PayloadError,
    PermanentError,
    RetryableError,
    Snooze,
    StartRefused,
    StepsChanged,
    Throttled,
    UnknownTask,
)
from windlass.flows.results import with_group_results
from windlass.task import COMMAND
from windlass.worker.runs.logs.failure_log import log_failure
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.missing_keys import MissingKeys
from windlass.worker.runs.run import Run
from windlass.worker.runs.throttles import Throttles
from windlass.worker.runs.unknown_tasks import UnknownTasks

Call = tuple[tuple[object, ...], dict[str, object]]

log = logging.getLogger("windlass.worker")

_DEFAULT_RULE = Retry()
_TEXT_KEPT = 500
"""Bytes of what a task says when it is throttled."""
_NOT_KEPT = "(its text is not kept: the job is encrypted)"
_REFUSED_FOR = 5_000
_LOADING_FOR = 1_000
_UNKNOWN_FOR_GOOD = 24 * 3600 * 1000


class AttemptRules:
    """Everything about a run but the call of user code itself, which the executors make."""

    def __init__(
        self,
        *,
        codec: Codec,
        retry: Retry,
        give_up_on: tuple[type[BaseException], ...],
        worker: str,
        now: Callable[[], int],
        unknown_tasks: UnknownTasks | None = None,
        throttles: Throttles | None = None,
        encryption: Encryption = NO_ENCRYPTION,
    ) -> None:
        self._codec = codec
        self._retry = retry
        self._give_up_on = give_up_on
        self._worker = worker
        self._now = now
        self._unknown_tasks = unknown_tasks or UnknownTasks()
        self._encryption = encryption
        self._missing_keys = MissingKeys()
        self._throttles = throttles
        """None where nothing cools down: in a child, whose worker does that, and in a test block."""
        self.queue_rules: dict[str, Retry] = {}
        """Retry rules that operators have set for queues."""

    def begin(self, run: Run) -> Call | Outcome:
        """The arguments of the call, or the outcome if there can be none. From here on the run counts as started."""
        if run.stop is not None:
            return Interrupted()
        if run.job.expires_in is not None and run.is_expired(clock.monotonic()):
            return _expired(run.job)
        if self._throttles is not None and (left := self._throttles.left_of(run.job.task)):
            return Postponed(left, "throttled")
        if has_inputs(run.job.payload):
            # The store went away before the results were read that it gets from other jobs.
            return Postponed(_LOADING_FOR, "inputs")
        try:
            args, kwargs = self._codec.decode_call(run.task.signature, run.job.payload)
            if has_group(run.job.payload):
                args, kwargs = with_group_results(run.task.app.client, run.job.payload, args, kwargs)
            _check_readable(run.job)
        except NoKey as error:
            return self._without_key(run.job, error)
        except NewerFormat:
            return Postponed(patience(run.job.unknown_for), "newer_format")
        except PayloadError as error:
            cause = refusal_of(run.job.payload)
            error = error if cause is None else PayloadError(cause)
            return FailedPermanently(self._fault(run.job, error, run.said), "undecodable", is_run=False)
        if run.task.shape.job_parameter is not None:
            args, kwargs = run.task.shape.with_job(args, kwargs, run.active)
        run.begin(clock.monotonic())
        return args, kwargs

    def failed_to_start(self, job: Claimed, error: BaseException) -> Outcome:
        """The outcome of a run whose task could not be loaded where it should run."""
        return Raised(self._fault(job, error))

    def died(self, run: Run, how: str) -> Outcome:
        """The outcome of a run whose process has died."""
        if run.stop is not None:
            return self.stopped(run)
        fault = Fault(
            at=self._now(),
            attempt=run.job.attempt + 1,
            worker=self._worker,
            type="windlass.ProcessDied",
            message=f"the child process that ran this job {how}",
            log="" if run.said is None else run.said.text(),
            ran_for=None if run.started is None else round((clock.monotonic() - run.started) * 1000),
            fence=run.job.fence,
        )
        return Lost(True, fault)

    def returned(self, run: Run, value: object) -> Outcome:
        """The outcome of a return value; one that cannot be stored fails the job, for the work is done already."""
        try:
            result = self._codec.encode_result(run.task.signature, value)
        except Exception as error:  # the codec raises PayloadError; a class of the user's may raise anything
            return FailedPermanently(self._fault(run.job, error, run.said), "result")
        said = run.said if run.task.settings.keep_log else None
        return Returned(result, None if said is None else said.text())

    def raised(self, run: Run, error: BaseException) -> Outcome:
        """The outcome of an exception. Whatever user code raises is an outcome, never the end of the worker."""
        if run.stop is not None and _is_a_stop(error):
            return self.stopped(run, error.__traceback__)
        try:
            return self._meant(run, error)
        except Exception as wrong:  # an impossible delay, or a subclass of the user's that has none
            return Raised(self._fault(run.job, wrong, run.said))

    def abandoned(self, run: Run) -> Outcome:
        """The outcome of a run that did not stop. It may still execute, so the job does not run again unless the task
        allows it.
        """
        outcome = self.stopped(run)
        if isinstance(outcome, Raised) and not run.task.settings.retry_abandoned:
            return FailedPermanently(outcome.fault, "timeout")
        return outcome

    def ending(self, run: Run, outcome: Outcome) -> Ending:
        """What to write for a run that has ended."""
        run.let_go()
        if run.stop is StopReason.LOST:
            outcome = Interrupted()  # if no worker has rescued it yet, this releases the job at once
        if isinstance(outcome, Interrupted) and run.job.max_attempts == 1 and run.started is not None:
            outcome = Interrupted(self._cut_off(run))
        ran_for = None if run.started is None else round((clock.monotonic() - run.started) * 1000)
        if type(outcome) is Returned:
            return self._decided(run.job, outcome, retry=self._retry, ran_for=ran_for)
        if isinstance(outcome, Postponed) and outcome.throttle is not None and self._throttles is not None:
            is_open = not isinstance(run.job, EncryptedJob)
            self._throttles.report(run.job, outcome.throttle if is_open else replace(outcome.throttle, text=_NOT_KEPT))
        try:
            ending = self._decided(run.job, outcome, retry=self._rule(run), roll=clock.roll(), ran_for=ran_for)
        except Exception:  # a custom delay is user code too
            log.exception("job %s: its retry rule failed; using the default one", run.job.id)
            ending = self._decided(run.job, outcome, retry=_DEFAULT_RULE, roll=clock.roll(), ran_for=ran_for)
        if not run.is_abandoned:
            with suppress(Exception):  # a log handler of the user's may raise; the run still has an ending
                log_failure(run.job, outcome, ending)
        return ending

    def load(self, run: Run, task: UnloadedTask) -> Outcome | None:
        """Import the function of a run, on the run's own thread; the outcome when that fails."""
        run.begin(clock.monotonic())  # importing is user code, too
        try:
            loaded = task.load()
        except BaseException as error:  # a module may do anything when it is imported
            return self.stopped(run) if run.stop is not None else self.failed_to_start(run.job, error)
        if run.stop is not None:
            return self.stopped(run)
        run.started = run.ends_at = None
        if loaded is None:
            return self._unknown(run.job)
        run.task = loaded
        return None

    def _decided(
        self, job: Claimed, outcome: Outcome, *, retry: Retry, roll: float = 0.5, ran_for: int | None = None
    ) -> Ending:
        """The ending, as it is stored."""
        ending = decide(job, outcome, retry=retry, roll=roll, ran_for=ran_for)
        return seal_ending(self._encryption, job, ending) if isinstance(job, EncryptedJob) else ending

    def _without_key(self, job: Claimed, error: NoKey) -> Outcome:
        """The outcome of a job that is left for workers which have its key, for as long as it takes."""
        self._missing_keys.meet(job, error)
        return Postponed(patience(job.unknown_for), "no_key")

    def of_loading_task(self, job: Claimed) -> Ending:
        """The ending of a job whose module another run imports, perhaps for long: released for a little while,
        uncharged.
        """
        return self._decided(job, Postponed(_LOADING_FOR), retry=self._retry)

    def of_cooling_task(self, job: Claimed, left: int) -> Ending:
        """The ending of a job whose task cools down for so many milliseconds: it comes back then, uncharged."""
        return self._decided(job, Postponed(left, "throttled"), retry=self._retry)

    def _cut_off(self, run: Run) -> Fault:
        """The error of a job that may run only once and was stopped half-way by its worker."""
        error = JobInterrupted(
            "its worker stopped it, or lost it, while it ran; with one attempt it does not run again"
        )
        return self._fault(run.job, error, run.said)

    def of_expired(self, job: Claimed) -> Ending:
        """The ending of a job that was claimed too late to start: cancelled, uncharged."""
        return self._decided(job, _expired(job), retry=self._retry)

    def of_unknown_task(self, job: Claimed) -> Ending:
        """The ending of a job whose task is unknown here: released with growing delays for other workers, failed after
        a day.
        """
        return self._decided(job, self._unknown(job), retry=self._retry)

    def _unknown(self, job: Claimed) -> Outcome:
        self._unknown_tasks.meet(job)
        if job.unknown_for is not None and job.unknown_for >= _UNKNOWN_FOR_GOOD:
            error = UnknownTask(_unknown_to_all(job.task))
            return FailedPermanently(self._fault(job, error), "unknown_task", is_run=False)
        return Postponed(patience(job.unknown_for), "unknown_task")

    def of_refused_data(self, ending: Ending, job: Claimed, error: Exception) -> Ending:
        """The ending of a job whose result or error the store has rejected: failed, with an error that the store
        accepts.
        """
        return self._decided(
            job, FailedPermanently(self._fault(job, error), "result"), retry=self._retry, ran_for=ending.ran_for
        )

    def _meant(self, run: Run, error: BaseException) -> Outcome:
        match error:
            case NoKey():
                return self._without_key(run.job, error)
            case JobSuspended():
                return Postponed(error.delay, error.reason)
            case Snooze():
                reason = None if error.limit is None else token_reason(error.limit)
                return Postponed(milliseconds(error.delay, "Snooze: delay"), reason)
            case Throttled():
                throttle = _read_throttle(error)
                return Postponed(FLAT if throttle.retry_after is None else throttle.retry_after, "throttled", throttle)
            case Cancel():
                return Cancelled()
            case StartRefused():
                log.warning("job %s: %s; it begins again in %g s", run.job.id, error, _REFUSED_FOR / 1000)
                return Postponed(_REFUSED_FOR)
            case StepsChanged():
                return FailedPermanently(self._fault(run.job, error, run.said), "steps_changed")
            case PermanentError():
                return FailedPermanently(self._fault(run.job, error, run.said), "permanent")
            case HelperDied():
                return Lost(True, self._fault(run.job, error, run.said))
            case RetryableError():
                delay = None if error.delay is None else milliseconds(error.delay, "RetryableError: delay")
                return Raised(self._fault(run.job, error, run.said), delay)
            case _:
                return self._failed(run, error)

    def _failed(self, run: Run, error: BaseException) -> Outcome:
        if run.stop is StopReason.SHUTDOWN:
            return Interrupted()  # it raised because it was stopped
        if run.task.settings.gives_up_on(error) or isinstance(error, self._give_up_on):
            return FailedPermanently(self._fault(run.job, error, run.said), "permanent")
        return Raised(self._fault(run.job, error, run.said))

    def stopped(self, run: Run, where: TracebackType | None = None) -> Outcome:
        """The outcome of a run that stopped as asked; ``where`` it was then, if that is known."""
        match run.stop:
            case StopReason.CANCELLED:
                return Cancelled()
            case StopReason.TIMED_OUT:
                error = TimeoutError(f"ran longer than {run.time_limit:g} s").with_traceback(where)
                return Raised(self._fault(run.job, error, run.said), is_timeout=True)
            case _:
                return Interrupted()

    def _rule(self, run: Run) -> Retry:
        """Job, task, queue, app: the nearest rule wins."""
        return (
            read_retry(run.job.retry) or run.task.settings.retry or self.queue_rules.get(run.job.queue) or self._retry
        )

    def _fault(self, job: Claimed, error: BaseException, said: Excerpt | None = None) -> Fault:
        return Fault.of(
            error,
            at=self._now(),
            attempt=job.attempt + 1,
            worker=self._worker,
            limit=self._codec.limits.error,
            log=said,
            fence=job.fence,
        )


def _expired(job: Claimed) -> Outcome:
    with suppress(Exception):  # a log handler of the user's may raise; the job has ended all the same
        text = "job %s (%s): not started in time, cancelled (expired), queue %s"
        log.warning(text, job.id, job.task, job.queue, extra=about(job, "job_expired"))
    return EXPIRED


def _check_readable(job: Claimed) -> None:
    """Raise for metadata or errors that cannot be read; the message keeps what was there."""
    for text in (job.meta, job.errors):
        if text is not None:
            refuse_unopened(text)
    if job.meta is not None and not is_readable(job.meta):
        raise PayloadError(f"the metadata cannot be read: {job.meta}")
    if job.errors is not None and read_faults(job.errors).corrupt:
        raise PayloadError(f"the errors of earlier attempts cannot be read: {job.errors}")


def _unknown_to_all(task: str) -> str:
    if task == COMMAND:
        return "no worker that allows commands has come for 24 hours; start one with --allow-commands"
    return f"no worker has known the task {task!r} for 24 hours"


def _read_throttle(error: Throttled) -> Throttle:
    if error.scope not in (None, "task", "queue"):
        raise ConfigError(f"Throttled: scope must be 'task' or 'queue', got {error.scope!r}")
    if error.limit is not None and error.scope is not None:
        raise ConfigError("Throttled: give a limit or a scope, not both")
    return Throttle(
        storable(str(error), _TEXT_KEPT),
        None if error.limit is None else validate.limit_name(error.limit),
        error.scope,
        None if error.retry_after is None else max(SHORTEST, milliseconds(error.retry_after, "Throttled: retry_after")),
    )


def _is_a_stop(error: BaseException) -> bool:
    """Whether this is how a run that was asked to stop ends."""
    if isinstance(error, JobInterrupted | Cancel | LeaseLost):
        return True
    asyncio = sys.modules.get("asyncio")  # not imported for this: without it nothing can be cancelled
    return asyncio is not None and isinstance(error, asyncio.CancelledError)
