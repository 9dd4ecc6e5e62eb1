"""The moments in a worker's life at which the tests strike; named as in the matrix of faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.faults.names import HOLD, NOTE, STEPPING
from windlass import Job, Windlass
from windlass.core.ending import Ending
from windlass.core.state import State
from windlass.store.operation import Answer, Call

Costs = tuple[int, int, int]
"""The attempts, crashes and rescues that a job was charged."""

FREE: Costs = (0, 0, 0)
RESCUED: Costs = (0, 0, 1)
CRASHED: Costs = (1, 1, 0)
RUN: Costs = (1, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A call to the store that is held up: before the store sees it, or when it has committed and nobody has heard."""

    is_after: bool
    is_it: Callable[[Call, Answer], bool]
    task: str = HOLD
    attempts: int = 4
    after_signal: bool = False
    """Whether it comes only when the worker was told to stop."""
    left: Costs
    """What the job costs if the worker never comes back from there."""

    def enqueue(self, app: Windlass) -> Job[Any]:
        """The job with which the moment comes."""
        arguments = (7,) if self.task == NOTE else ()
        return app.enqueue_many([app.request(self.task, arguments, attempts=self.attempts)])[0]


def costs(job: Job[Any]) -> Costs:
    """What the job was charged."""
    return job.attempt, job.record.crashes, job.record.rescues


def _claims(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["requests"])


def _brings(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(answer["claimed"])


def _marks(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["marks"])


def _finishes(call: Call, answer: Answer) -> bool:
    return call.name == "cycle" and bool(call.params["completed"])


def _hands_back(call: Call, answer: Answer) -> bool:
    endings: list[Ending] = call.params["endings"] if call.name == "cycle" else []
    return any(ending.state is State.PENDING for ending in endings)


def _records_step(call: Call, answer: Answer) -> bool:
    return call.name == "record_step"


def _renews(call: Call, answer: Answer) -> bool:
    return call.name == "renew"


MOMENTS = {
    "w1 claim sent": Moment(is_after=False, is_it=_claims, attempts=1, left=FREE),
    "w2 claim committed": Moment(is_after=True, is_it=_brings, attempts=1, left=RESCUED),
    # The last attempt is recorded before it starts, any other one while it runs.
    "w3 start being recorded": Moment(is_after=False, is_it=_marks, attempts=1, left=RESCUED),
    "w4 start recorded": Moment(is_after=True, is_it=_marks, left=CRASHED),
    "w7 ending sent": Moment(is_after=False, is_it=_finishes, task=NOTE, left=RESCUED),
    "w8 ending committed": Moment(is_after=True, is_it=_finishes, task=NOTE, left=RUN),
    "w11 hand-back sent": Moment(is_after=False, is_it=_hands_back, after_signal=True, left=CRASHED),
    "w11 hand-back committed": Moment(is_after=True, is_it=_hands_back, after_signal=True, left=FREE),
}
"""In the life of one job, in order."""

STEPS = {
    "step returned": Moment(is_after=False, is_it=_records_step, task=STEPPING, left=RESCUED),
    "step recorded": Moment(is_after=True, is_it=_records_step, task=STEPPING, left=RESCUED),
}
"""Of a job with a durable step."""

BEATS = {
    "w10 heartbeat sent": Moment(is_after=False, is_it=_renews, left=CRASHED),
    "w10 heartbeat committed": Moment(is_after=True, is_it=_renews, left=CRASHED),
}
"""At any time."""
