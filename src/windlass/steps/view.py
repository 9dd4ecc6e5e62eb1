"""The steps that a job has recorded, as people look at them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.store.operation import Operation
from windlass.store.operations.steps.steps import StepRecord, steps_of


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a job."""

    name: str
    kind: str
    """``step``: a function that has returned; ``sleep``; ``event``: a wait for one; ``timeout``: one that did not come.
    """
    began_at: datetime
    ended_at: datetime | None
    """When the function had returned, or the event had come; None for a sleep, and while it waits."""
    wake_at: datetime | None
    """When a sleep is over, or the time for an event."""
    event: str | None
    """What is waited for."""
    fence: int
    """Of the run that recorded it."""

    @property
    def seconds(self) -> float | None:
        """How long the function took."""
        return None if self.ended_at is None else (self.ended_at - self.began_at).total_seconds()


def step_views(seq: int) -> Operation[list[StepView]]:
    """The steps of a job, in the order in which they were recorded."""
    found = yield from steps_of(seq)
    return [step_view(step) for step in found]


def step_view(step: StepRecord) -> StepView:
    return StepView(
        step.name,
        step.kind,
        clock.instant(step.began_at),
        clock.instant_or_none(step.ended_at),
        clock.instant_or_none(step.wake_at),
        step.event,
        step.fence,
    )
