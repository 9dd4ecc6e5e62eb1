"""The ledger of fires: what became of each slot of a schedule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core.schedules.policies import FireOutcome, SkipReason
from windlass.store.operations.schedules.records import FireRecord, FireResult, FireStep


@dataclass(frozen=True, slots=True)
class Fire:
    """One slot of a schedule, or several in a row that were missed."""

    schedule: str
    planned_at: datetime
    """The slot; of several that were missed, the first."""
    at: datetime
    """When this was decided."""
    outcome: str
    """on_time, late, caught_up, skipped, missed, buffered or error."""
    reason: str | None
    """Why there is no job: overlap, unique, queue_full, or what went wrong."""
    job: str | None
    """The id of the job that was made."""
    last_planned_at: datetime
    """Of several slots that were missed, the last."""
    count: int
    """How many slots it stands for; of those that were missed at most 1,000 are counted."""

    @classmethod
    def of(cls, record: FireRecord) -> Fire:
        planned = clock.instant(record.planned_at)
        return cls(
            schedule=record.schedule,
            planned_at=planned,
            at=clock.instant(record.at),
            outcome=str(record.outcome),
            reason=record.reason,
            job=record.job,
            last_planned_at=clock.instant_or_none(record.last_at) or planned,
            count=record.count or 1,
        )


def fires_of(step: FireStep, result: FireResult, *, at: int) -> Iterator[Fire]:
    """What the ledger has after a step that was taken."""
    if step.missed and step.missed_from is not None:
        yield Fire.of(
            FireRecord(
                schedule=step.name,
                planned_at=step.missed_from,
                at=at,
                outcome=FireOutcome.MISSED,
                reason=None,
                job=None,
                last_at=step.missed_to,
                count=step.missed,
            )
        )
    found = _outcome(step, result)
    if step.slot is not None and found is not None:
        outcome, reason = found
        job = step.job if result.verdict == "made" else None
        yield Fire.of(FireRecord(step.name, step.slot, at, outcome, reason, job, None, 1))


def _outcome(step: FireStep, result: FireResult) -> tuple[FireOutcome, str | None] | None:
    """What became of the slot of a step; None where the ledger had it already."""
    match result.verdict:
        case "made" | "noted":
            return FireOutcome(step.outcome or FireOutcome.ERROR), step.reason
        case "held":
            return FireOutcome.BUFFERED, SkipReason.OVERLAP
        case SkipReason.OVERLAP | SkipReason.UNIQUE | SkipReason.QUEUE_FULL as reason:
            return FireOutcome.SKIPPED, reason
        case _:
            return None
