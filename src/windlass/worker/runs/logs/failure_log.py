"""Logs runs that failed, with their tracebacks."""

from __future__ import annotations

import logging

from msgspec.structs import replace

from windlass.core.codec.stored_text.storable import storable
from windlass.core.encryption.jobs import EncryptedJob
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.fault.own_code import own_code_first
from windlass.core.meta import logged_correlation, read_meta, trace_id_of
from windlass.core.outcome import FailedPermanently, Interrupted, Lost, Outcome, Raised
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.insight.redact import redacted_text

log = logging.getLogger("windlass.worker")


def log_failure(job: Claimed, outcome: Outcome, ending: Ending) -> None:
    """Log a retry as a warning, a dead job as an error; both records have the facts of the run as fields, and the
    traceback, which begins with the user's own code.
    """
    fault = outcome.fault if isinstance(outcome, Raised | FailedPermanently | Lost | Interrupted) else None
    if fault is None:
        return
    if isinstance(job, EncryptedJob):
        # Logs are kept elsewhere, and longer: what it says is with the job alone.
        fault = replace(fault, message="(encrypted; `windlass jobs show` has it)", cause=(), traceback="", log="")
    attempt = job.attempt + 1
    took = "" if ending.ran_for is None else f" after {ending.ran_for / 1000:.3f} s"
    if ending.state is State.RETRYING:
        pause = round((ending.delay or 0) / 1000, 1)
        text = "job %s (%s): attempt %s of %s failed%s, queue %s, again in %g s: %s"
        args: tuple[object, ...] = (job.id, job.task, attempt, job.max_attempts, took, job.queue, pause, _line(fault))
        _log(logging.WARNING, text, args, fault=fault, fields=_fields(job, fault, ending))
    elif ending.state is State.FAILED:
        text = "job %s (%s): failed for good (%s) at attempt %s%s, queue %s: %s"
        args = (job.id, job.task, ending.reason, attempt, took, job.queue, _line(fault))
        _log(logging.ERROR, text, args, fault=fault, fields=_fields(job, fault, ending))


def _log(level: int, text: str, args: tuple[object, ...], *, fault: Fault, fields: dict[str, object]) -> None:
    if not log.isEnabledFor(level):
        return
    record = log.makeRecord(log.name, level, __file__, 0, text, args, None, extra=fields)
    # Formatters write this below the message, as they do with the traceback of an exception.
    record.exc_text = _indented(redacted_text(own_code_first(fault.traceback))) or None
    log.handle(record)


def _line(fault: Fault) -> str:
    """The error on one line: an error message must not be able to add lines to the log."""
    return storable(redacted_text(" ".join(f"{fault.type}: {fault.message}".split())), 500)


def _indented(traceback: str) -> str:
    """The traceback, indented for the same reason."""
    return "\n".join(f"    {line}" for line in traceback.splitlines())


def _fields(job: Claimed, fault: Fault, ending: Ending) -> dict[str, object]:
    meta = read_meta(job.meta)
    return {
        "event": f"job_{ending.state}",
        "job": job.id,
        "task": job.task,
        "queue": job.queue,
        "worker": fault.worker,
        "attempt": job.attempt + 1,
        "max_attempts": job.max_attempts,
        "fence": job.fence,
        "correlation_id": logged_correlation(meta.correlation_id, job.id, is_encrypted=isinstance(job, EncryptedJob)),
        "trace_id": trace_id_of(meta),
        "outcome": str(ending.state),
        "reason": ending.reason,
        "seconds": None if ending.ran_for is None else ending.ran_for / 1000,
        "delay": None if ending.delay is None else ending.delay / 1000,
        "error": _line(fault),
    }
