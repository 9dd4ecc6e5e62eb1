"""What is to be done about a schedule that is due, step by step.

Pure: from the record, the store's time and a function that makes jobs. Each step raises the revision of the schedule by
one, so all steps of a visit can be worked out before the first is taken. One step makes one job at the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from windlass.clock import instant
from windlass.core.schedules.policies import FireOutcome, Overlap
from windlass.core.schedules.slots import Firing, Plan, plan
from windlass.core.schedules.timetable import Timetable
from windlass.errors import WindlassError
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.schedules.definition import Definition, read_definition
from windlass.store.operations.schedules.edits import in_milliseconds, slot_times
from windlass.store.operations.schedules.records import FireStep, HeldFor, ScheduleRecord

_LOOK_AGAIN = 1_000
"""Milliseconds between two looks whether the job has finished for which a slot is kept back."""
_RETRY_ERROR = 10_000
"""Milliseconds between two tries to make a job."""
_LONGEST_REASON = 500
"""Characters of an error that the ledger keeps."""
_CAUGHT_UP_AT_MOST = {Overlap.SKIP: 1, Overlap.BUFFER: 2}
"""More of them could not become jobs, as the first one is alive by then."""

MakeJob = Callable[[str, Definition, int], NewJob]
"""Makes the job of a slot, from the schedule's name, its definition and the planned instant (milliseconds)."""


class Step(Struct, frozen=True):
    """A step with the job that it is to make."""

    row: FireStep
    job: NewJob | None = None
    uniqueness: Uniqueness | None = None


def steps(record: ScheduleRecord, *, now: int, make: MakeJob) -> list[Step]:
    """The steps to take with a schedule now; at least one, which stores when it is due next."""
    try:
        definition = read_definition(record.definition)
        timetable, limit = definition.timetable(record.name), definition.catch_up_limit
        planned = plan(
            timetable,
            last=instant(record.planned_at),
            now=instant(now),
            catch_up=definition.catch_up,
            limit=min(limit, _CAUGHT_UP_AT_MOST.get(definition.overlap, limit)),
        )
    except WindlassError as error:
        return [_unreadable(record, now, error)]
    visit = _Visit(record, definition, timetable, planned, now, make)
    return [
        replace(step, row=replace(step.row, revision=record.revision + index))
        for index, step in enumerate(visit.steps())
    ]


class _Visit(Struct, frozen=True):
    """One look at one schedule."""

    record: ScheduleRecord
    definition: Definition
    timetable: Timetable
    plan: Plan
    now: int
    make: MakeJob

    def steps(self) -> Iterator[Step]:
        has_news = bool(self.plan.firings or self.plan.missed)
        # What could not be made is tried again until the next slot.
        if self.record.held_at is not None and not (has_news and self.record.held_for is HeldFor.ERROR):
            yield self._of_held(self.record.held_at)
        for index in range(len(self.plan.firings)):
            yield self._of_firing(index)
        if not self.plan.firings and (self.plan.missed or self.record.held_at is None):
            yield Step(self._with_missed(self._row(self._decided_until, self.plan.next)))

    @property
    def _decided_until(self) -> int:
        missed = self.plan.missed
        return self.record.planned_at if missed is None else in_milliseconds(missed.last)

    def _of_held(self, slot: int) -> Step:
        plan = self.plan
        upcoming = plan.missed.first if plan.missed else plan.firings[0].planned if plan.firings else plan.next
        row = replace(self._row(self.record.planned_at, upcoming), was_held=1)
        return self._making(row, slot, FireOutcome.LATE)

    def _of_firing(self, index: int) -> Step:
        firings = self.plan.firings
        firing: Firing = firings[index]
        upcoming = firings[index + 1].planned if index + 1 < len(firings) else self.plan.next
        row = self._row(in_milliseconds(firing.planned), upcoming)
        if index == 0:
            row = self._with_missed(row)
        return self._making(row, in_milliseconds(firing.planned), firing.outcome)

    def _making(self, row: FireStep, slot: int, outcome: FireOutcome) -> Step:
        try:
            job = self.make(self.record.name, self.definition, slot)
        except Exception as error:  # arguments of users: whatever is wrong with one schedule, the others go on
            return Step(failed_step(row, slot, self.now, error))
        if job.expires is not None:
            job = replace(job, at=slot)  # an expiry counts from the planned instant, however late the slot fires
        uniqueness = None
        if job.unique_key is not None:
            uniqueness = self.definition.uniqueness or Uniqueness()
        return Step(replace(row, slot=slot, outcome=outcome, job=job.id), job, uniqueness)

    def _row(self, planned_at: int, upcoming: datetime | None) -> FireStep:
        next_at, due_at = slot_times(self.timetable, upcoming)
        return FireStep(
            name=self.record.name,
            revision=self.record.revision,
            planned_at=planned_at,
            next_at=next_at,
            due_at=due_at,
            again_at=self.now + _LOOK_AGAIN,
            overlap=self.definition.overlap,
        )

    def _with_missed(self, row: FireStep) -> FireStep:
        missed = self.plan.missed
        if missed is None:
            return row
        return replace(
            row, missed_from=in_milliseconds(missed.first), missed_to=in_milliseconds(missed.last), missed=missed.count
        )


def failed_step(row: FireStep, slot: int, now: int, error: Exception) -> FireStep:
    """A step that notes why no job could be made, and has that tried again."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_REASON]
    return replace(row, slot=slot, outcome=FireOutcome.ERROR, reason=text, again_at=now + _RETRY_ERROR)


def _unreadable(record: ScheduleRecord, now: int, error: Exception) -> Step:
    """It stays where it is, and the ledger says why; nothing can be said about its next slot."""
    slot = record.next_at if record.held_at is None else record.held_at
    row = FireStep(
        name=record.name,
        revision=record.revision,
        planned_at=record.planned_at,
        next_at=record.next_at,
        due_at=None,
        again_at=now + _RETRY_ERROR,
        overlap=Overlap.ALLOW,
        was_held=int(record.held_at is not None),
    )
    return Step(failed_step(row, now if slot is None else slot, now, error))
