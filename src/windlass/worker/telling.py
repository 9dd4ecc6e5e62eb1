"""What the worker logs about runs that failed."""

from __future__ import annotations

import logging

from windlass.core.codec.text import storable
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.meta import read_meta
from windlass.core.outcome import Lost, Outcome, Raised, Refused
from windlass.core.record import Claimed
from windlass.core.state import State

log = logging.getLogger("windlass.worker")


def tell_of_failure(job: Claimed, outcome: Outcome, ending: Ending) -> None:
    """A retry is a warning, a dead letter an error; both carry what is known of the run as fields of the record."""
    if not isinstance(outcome, Raised | Refused | Lost):
        return
    fault, attempt = outcome.fault, job.attempt + 1
    if ending.state is State.RETRYING:
        pause = round((ending.delay or 0) / 1000, 1)
        text = "job %s (%s): attempt %s of %s failed, again in %g s: %s"
        log.warning(text, job.id, job.task, attempt, job.max_attempts, pause, _line(fault), extra=_fields(job, fault))
    elif ending.state is State.FAILED:
        text = "job %s (%s): failed for good (%s) at attempt %s: %s"
        log.error(text, job.id, job.task, ending.reason, attempt, _line(fault), extra=_fields(job, fault))


def _line(fault: Fault) -> str:
    """On one line: whoever writes an error message must not be able to write lines of our log."""
    return storable(" ".join(f"{fault.type}: {fault.message}".split()), 500)


def _fields(job: Claimed, fault: Fault) -> dict[str, object]:
    return {
        "job": job.id,
        "task": job.task,
        "queue": job.queue,
        "worker": fault.worker,
        "attempt": job.attempt + 1,
        "fence": job.fence,
        "correlation_id": read_meta(job.meta).correlation_id or job.id,
    }
