"""Records what the steps of a job gave, and reads it for later runs."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.events import record_stale_writes


class StepKind(StrEnum):
    """What is recorded under a name."""

    STEP = "step"
    """A function has returned."""
    SLEEP = "sleep"
    """The job sleeps, or has slept, until an instant."""
    EVENT = "event"
    """The job waits for an event, or has got one."""
    TIMEOUT = "timeout"
    """The event has not come in time."""


class StepRecord(Struct, frozen=True, array_like=True):
    """What a job has recorded under one name."""

    name: str
    number: int
    """In which order they were recorded, from 1."""
    kind: str
    fence: int
    """Of the run that recorded it."""
    began_at: int
    ended_at: int | None = None
    """When a function has returned, or an event has come; None for what only has a time to wait for."""
    wake_at: int | None = None
    """When a sleep is over, or the time for an event."""
    event: str | None = None
    """What it waits for, or has waited for."""
    result: str | None = None


class NewStep(Struct, frozen=True):
    """A step that is to be recorded."""

    name: str
    number: int
    kind: StepKind = StepKind.STEP
    ran_for: int = 0
    """Milliseconds."""
    result: str | None = None
    delay: int | None = None
    """How many milliseconds a sleep takes."""


class RecordedStep(Struct, frozen=True):
    """What the store says of a step that it has recorded."""

    left: int | None
    """In how many milliseconds a sleep is over."""


class RunSteps(Struct, frozen=True):
    """What a run finds when it asks for its first step."""

    steps: list[StepRecord]
    now: int
    """The store's clock."""


def record_step(seq: int, fence: int, step: NewStep, *, worker: str) -> Operation[RecordedStep | None]:
    """Record a step under the run's fence, and give the job its budget of attempts anew; None when the lease is lost.

    Repeated after no reply, it leaves what is recorded under that name as it is.
    """
    answer = yield Call(
        "record_step",
        {
            "seq": seq,
            "fence": fence,
            "name": step.name,
            "number": step.number,
            "kind": step.kind,
            "ran_for": step.ran_for,
            "result": step.result,
            "delay": step.delay,
        },
    )
    for (left,) in answer["recorded"]:
        return RecordedStep(left)
    yield from record_stale_writes([(seq, fence, "step")], worker=worker)
    return None


def steps_of_run(seq: int, fence: int, *, worker: str) -> Operation[RunSteps | None]:
    """What earlier runs of a job have recorded, for the run that has this fence; None when its lease is lost."""
    answer = yield Call("steps", {"seq": seq, "fence": fence, "results": 1}, Lane.READ)
    for (now,) in answer["held"] or ():
        return RunSteps(records(answer["steps"], StepRecord), now)
    yield from record_stale_writes([(seq, fence, "step")], worker=worker)
    return None


def steps_of(seq: int, *, results: bool = False) -> Operation[list[StepRecord]]:
    """The steps that a job has recorded, in order; without their results unless these are asked for."""
    answer = yield Call("steps", {"seq": seq, "fence": None, "results": int(results)}, Lane.READ)
    return records(answer["steps"], StepRecord)


def import_steps(id: str, steps: list[StepRecord]) -> Operation[None]:
    """Store the steps of a job of another store; what is recorded under a name already stays as it is."""
    yield Call("import_steps", {"id": id, "steps": steps})
