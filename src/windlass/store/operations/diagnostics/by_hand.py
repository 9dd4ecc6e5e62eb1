"""Fails a job by hand."""

from __future__ import annotations

from msgspec.structs import astuple

from windlass.core.codec.stored_text.storable import storable
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.outcome import FailedPermanently
from windlass.core.records import JobRecord
from windlass.core.retry import Retry
from windlass.core.state import State, Verb, allowed_from
from windlass.errors import IllegalTransition
from windlass.store.operation import Call, Operation
from windlass.store.operations.queries import find

FAILED_BY_HAND = "windlass.FailedByHand"
"""The type of the error that such a job shows."""

_TRIES = 10
_LONGEST = 4096


def fail(job: JobRecord, *, by: str, text: str, now: int) -> Operation[bool]:
    """End a job that waits or runs as failed; whether it ran. ``IllegalTransition`` when it has ended.

    The owner of a run has lost the job from then on and learns it with its next heartbeat; until then user code may go
    on. Repeated after no reply it finds the job failed.
    """
    found: JobRecord | None = job
    for _ in range(_TRIES):
        if found is None or found.state not in allowed_from(Verb.FAIL):
            state = "gone" if found is None else found.state
            raise IllegalTransition(f"job {job.id} is {state}; it cannot be failed")
        params = {
            "seqs": [found.seq],
            "endings": [(*astuple(_ending(found, text, now)), found.state)],
            "by": by,
            "reason": text,
        }
        answer = yield Call("fail", params)
        if answer["failed"]:
            return found.state is State.RUNNING
        if answer.get("guarded"):
            raise IllegalTransition(f"job {job.id}: its run has a transaction open under job.guard(); try again")
        # It has moved on since it was read.
        found = (yield from find([job.id])).get(job.id)
    raise IllegalTransition(f"job {job.id} moves from state to state; try again")


def _ending(job: JobRecord, text: str, now: int) -> Ending:
    is_run = job.state is State.RUNNING and job.started_at is not None
    fault = Fault(
        at=now,
        attempt=job.attempt + (is_run and not job.is_charged),
        worker=job.worker or "",
        type=FAILED_BY_HAND,
        message=storable(text, _LONGEST),
        fence=job.fence if job.state is State.RUNNING else None,
    )
    outcome = FailedPermanently(fault, "by_hand", is_run=is_run or job.is_charged)
    return decide(job, outcome, retry=Retry())
