"""What users gave a schedule, secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlass.core.meta import read_meta
from windlass.insight.payload import PayloadView
from windlass.insight.redact import redacted

if TYPE_CHECKING:
    from windlass.schedules.schedule import Schedule


@dataclass(frozen=True, slots=True)
class ScheduleValues:
    """All values of one schedule that are not ours, as JSON values."""

    args: object
    kwargs: object
    meta: object

    @classmethod
    def of(cls, schedule: Schedule, parameters: Sequence[str] = ()) -> ScheduleValues:
        """``parameters`` are the task's parameter names, if they are known: positional arguments are masked by them."""
        definition = schedule.opened
        payload = PayloadView.of(definition.payload, parameters)
        return cls(payload.args, payload.kwargs, redacted(read_meta(definition.meta).meta))
