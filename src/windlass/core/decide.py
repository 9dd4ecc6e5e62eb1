"""The one place where an outcome becomes a state."""

from __future__ import annotations

from typing import assert_never

from windlass.core.ending import Ending
from windlass.core.fault import Fault, add_fault, add_log, fingerprint, read_faults
from windlass.core.outcome import (
    Blame,
    Cancelled,
    FailedPermanently,
    Interrupted,
    Lost,
    Outcome,
    Postponed,
    Raised,
    Returned,
)
from windlass.core.records import HeldJob
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.core.suspect import CRASHES_ALLOWED, evidence, is_suspect

RESCUES_ALLOWED = 50
"""The last resort: a job that was rescued this often before it started is failed."""

_SHORTEST_PATIENCE = 1_000
_LONGEST_PATIENCE = 300_000


def decide(job: HeldJob, outcome: Outcome, *, retry: Retry, roll: float = 0.5, ran_for: int | None = None) -> Ending:
    """What to write for a run of ``job`` that ended with ``outcome``.

    ``retry`` is the rule that applies to the job, ``roll`` in [0, 1) picks the jitter, ``ran_for`` is how long user
    code ran in milliseconds. Delays stay lengths of time: the store adds them to its own clock.
    """
    match outcome:
        case Returned(result, log):
            errors = None if log is None else add_log(job.errors, log)
            return _ending(job, State.COMPLETED, charge=1, ran_for=ran_for, result=result, errors=errors)
        case Raised(fault, delay, is_timeout):
            return _after_error(job, fault, delay, is_timeout=is_timeout, retry=retry, roll=roll, ran_for=ran_for)
        case FailedPermanently(fault, reason, is_run):
            return _failed(job, fault, reason, charge=int(is_run), ran_for=ran_for)
        case Postponed(delay, reason):
            crash, rescue = _acquittal(job, ran_for)
            return _ending(
                job, State.SCHEDULED, reason=reason, delay=delay, ran_for=ran_for, crash=crash, rescue=rescue
            )
        case Interrupted(fault):
            return _after_interrupt(job, fault, ran_for=ran_for)
        case Cancelled(reason, is_run):
            return _ending(job, State.CANCELLED, reason=reason, charge=int(is_run), ran_for=ran_for)
        case Lost(was_started, fault, blame):
            return _after_loss(job, fault, blame, was_started=was_started)
        case _:
            assert_never(outcome)


def patience(unknown_for: int | None) -> int:
    """For how many milliseconds a job is left to others that cannot be run here, as its task or its key is unknown: as
    long as that has lasted so far, within bounds; short after a deploy, long after hours.
    """
    return min(max(unknown_for or 0, _SHORTEST_PATIENCE), _LONGEST_PATIENCE)


def _acquittal(job: HeldJob, ran_for: int | None) -> tuple[int, int]:
    """The amounts that reset crashes and rescues, if the run had begun and ended by itself."""
    has_run = ran_for is not None or job.is_charged
    return (-job.crashes, -job.rescues) if has_run else (0, 0)


def _after_error(
    job: HeldJob,
    fault: Fault,
    delay: int | None,
    *,
    is_timeout: bool,
    retry: Retry,
    roll: float,
    ran_for: int | None,
) -> Ending:
    runs = job.attempt + (not job.is_charged)
    if runs >= job.max_attempts:
        reason = "timeout" if is_timeout else "attempts"
        return _failed(job, fault, reason, charge=1, ran_for=ran_for)
    errors = _history(job, fault)
    if delay is None:
        delay = round(retry.delay(runs, roll=roll) * 1000)
    crash, rescue = _acquittal(job, ran_for)
    return _ending(
        job,
        State.RETRYING,
        charge=1,
        delay=delay,
        ran_for=ran_for,
        errors=errors,
        crash=crash,
        rescue=rescue,
        cause=fingerprint(fault),
    )


def _after_interrupt(job: HeldJob, fault: Fault | None, *, ran_for: int | None) -> Ending:
    if job.max_attempts == 1 and ran_for is not None and not job.is_charged:
        # One attempt means at most one run, also if the worker has interrupted it.
        return _failed(job, fault, "interrupted", charge=1, ran_for=ran_for)
    return _ending(job, State.PENDING, ran_for=ran_for)


def _after_loss(job: HeldJob, fault: Fault, blame: Blame, *, was_started: bool) -> Ending:
    if job.is_charged:
        # A manual claim was charged when it was made; its visibility time has ended, which is no crash.
        if job.attempt >= job.max_attempts:
            return _failed(job, fault, "attempts", charge=1)
        return _ending(job, State.PENDING, charge=1, errors=_history(job, fault))
    if not was_started:
        if job.rescues + 1 >= RESCUES_ALLOWED:
            return _failed(job, fault, "crashed", rescue=1)
        return _ending(job, State.PENDING, rescue=1)
    if job.attempt + 1 >= job.max_attempts:
        # It began its last allowed run, so it must not run again, even if another job is to blame.
        return _failed(job, fault, "crashed", charge=1, crash=1)
    errors = _history(job, fault)
    match blame:
        case Blame.OTHER:
            return _ending(job, State.PENDING, rescue=int(not is_suspect(job)), errors=errors)
        case Blame.SHARED:
            # A suspect that is not blamed is cleared of its earlier death: this one counts as its first.
            return _ending(job, State.PENDING, charge=1, crash=1 - job.crashes, rescue=-job.rescues, errors=errors)
        case Blame.JOINT:
            # It is unknown which suspect it was, so this death is not the decisive one: each runs alone next time.
            crash = int(evidence(job) + 1 < CRASHES_ALLOWED)
            return _ending(job, State.PENDING, charge=int(job.crashes == 0), crash=crash, errors=errors)
        case Blame.OWN | Blame.SUSPECTED:
            return _after_own_death(job, fault, is_certain=blame is Blame.OWN)
        case _:
            assert_never(blame)


def _after_own_death(job: HeldJob, fault: Fault, *, is_certain: bool) -> Ending:
    if evidence(job) + 1 >= CRASHES_ALLOWED:
        return _failed(job, fault, "crashed", charge=1, crash=1)
    # As long as another job may be the cause, a job pays with one attempt at the most.
    charge = int(is_certain or job.crashes == 0)
    return _ending(job, State.PENDING, charge=charge, crash=1, errors=_history(job, fault))


def _failed(
    job: HeldJob,
    fault: Fault | None,
    reason: str,
    *,
    charge: int = 0,
    crash: int = 0,
    rescue: int = 0,
    ran_for: int | None = None,
) -> Ending:
    return _ending(
        job,
        State.FAILED,
        reason=reason,
        charge=charge,
        crash=crash,
        rescue=rescue,
        ran_for=ran_for,
        errors=None if fault is None else _history(job, fault),
        cause=None if fault is None else fingerprint(fault),
    )


def _ending(
    job: HeldJob,
    state: State,
    *,
    reason: str | None = None,
    charge: int = 0,
    crash: int = 0,
    rescue: int = 0,
    delay: int | None = None,
    ran_for: int | None = None,
    result: str | None = None,
    errors: str | None = None,
    cause: str | None = None,
) -> Ending:
    # A manual claim is charged already: its endings charge nothing more, and a run that does not count is refunded.
    return Ending(
        job.seq,
        job.fence,
        state,
        reason,
        charge - 1 if job.is_charged else charge,
        crash,
        rescue,
        delay,
        ran_for,
        result,
        errors,
        job.unique_key,
        job.concurrency_key,
        cause,
    )


def _history(job: HeldJob, fault: Fault) -> str | None:
    """The history with one more fault; None, which leaves the stored text as it is, where that cannot be read."""
    return None if read_faults(job.errors).corrupt else add_fault(job.errors, fault)
