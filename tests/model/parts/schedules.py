"""The part of the model that is about schedules: who leads, which are due, and what becomes of their slots."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from tests.model.parts.part import Part
from tests.model.samples import LEASE
from windlass.core.records import JobRecord
from windlass.core.schedules.policies import FireOutcome, Overlap
from windlass.core.state import FINISHED
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.schedules.fire import Due
from windlass.store.operations.schedules.records import FireRecord, FireResult, FireStep, HeldFor, ScheduleRecord
from windlass.store.operations.schedules.steps import Step
from windlass.store.operations.upkeep.leader import LEADER, Lead

NEWEST = 100
"""How many rows of a ledger are compared: stores let old ones go."""


class ScheduleModel(Part):
    """What a store knows of schedules."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.schedules: dict[str, ScheduleRecord] = {}
        self.ledgers: defaultdict[str, dict[int, FireRecord]] = defaultdict(dict)
        self._leader = Lead(LEADER, "", 0, 0)
        self._led_since = 0

    @abstractmethod
    def holder(self, key: str | None) -> JobRecord | None: ...
    @abstractmethod
    def has_room(self, queue: str) -> bool: ...
    @abstractmethod
    def _store(self, job: NewJob, naming: Uniqueness) -> None: ...

    @property
    def is_led(self) -> bool:
        """Whether a leader is in time, on either side of its last renewal."""
        return self._leader.holder != "" and self._led_since - LEASE <= self._now() < self._led_since + LEASE

    def take_lead(self, holder: str) -> Lead:
        if holder == self._leader.holder or not self.is_led:
            term = self._leader.term + (holder != self._leader.holder)
            self._leader, self._led_since = Lead(LEADER, holder, term, 0), self._now()
        return replace(self._leader, left=self._led_since + LEASE - self._now())

    def save_schedules(self, changed: Sequence[ScheduleRecord]) -> set[str]:
        saved = [record for record in changed if record.revision == self._revision(record.name)]
        for record in saved:
            if record.held_at is None:
                self._skip_held(record.name)
        self.schedules |= {record.name: replace(record, revision=record.revision + 1) for record in saved}
        return {record.name for record in saved}

    def _skip_held(self, name: str) -> None:
        """A slot that is kept back no more, because its schedule was resumed, makes no job."""
        known, ledger = self.schedules.get(name), self.ledgers[name]
        row = None if known is None or known.held_at is None else ledger.get(known.held_at)
        if row is not None and row.outcome is FireOutcome.BUFFERED:
            ledger[row.planned_at] = replace(row, outcome=FireOutcome.SKIPPED)

    def delete_schedule(self, name: str) -> bool:
        self.ledgers.pop(name, None)
        return self.schedules.pop(name, None) is not None

    def due_schedules(self) -> Due:
        waiting = sorted(
            (record.due_at, record.name) for record in self.schedules.values() if record.due_at is not None
        )
        found = [self.schedules[name] for at, name in waiting if at <= self._now()]
        return Due(self._now(), waiting[0][0] - self._now() if waiting else None, (), found, [])

    def all_schedules(self) -> list[ScheduleRecord]:
        return [self.schedules[name] for name in sorted(self.schedules)]

    def ledger(self, name: str) -> list[FireRecord]:
        return [row for _, row in sorted(self.ledgers[name].items(), reverse=True)][:NEWEST]

    def fire(self, lead: Lead, steps: Sequence[Step]) -> list[FireResult] | None:
        if not self.is_led or (lead.holder, lead.term) != (self._leader.holder, self._leader.term):
            return None
        return [self._take_step(step) for step in steps if step.row.revision == self._revision(step.row.name)]

    def _revision(self, name: str) -> int:
        return self.schedules[name].revision if name in self.schedules else 0

    def _take_step(self, step: Step) -> FireResult:
        record, row = self.schedules[step.row.name], step.row
        verdict = self._verdict(record, step)
        if verdict == "made":
            assert step.job is not None
            self._store(step.job, step.uniqueness or Uniqueness())
        rows = self._note_fire(row, verdict)
        self.schedules[record.name] = self._advanced(record, row, verdict, rows)
        return FireResult(record.name, verdict)

    def _verdict(self, record: ScheduleRecord, step: Step) -> str:
        row, is_buffering = step.row, record.held_for is HeldFor.OVERLAP
        if not row.was_held and row.slot in self.ledgers[record.name]:
            return "repeated"
        if step.job is None:
            return "noted"
        if row.overlap != Overlap.ALLOW and self._is_alive(record.last_job):
            return self._for_overlap(row, is_buffering=is_buffering)
        if row.overlap == Overlap.BUFFER and is_buffering and not row.was_held:
            return "overlap"  # it must not get ahead of the one that is kept back
        if self.holder(step.job.unique_key):
            return "unique"
        return "made" if self.has_room(step.job.queue) else "queue_full"

    def _for_overlap(self, row: FireStep, *, is_buffering: bool) -> str:
        if row.overlap == Overlap.SKIP:
            return "overlap"
        if row.was_held:
            return "stays"
        return "overlap" if is_buffering else "held"

    def _is_alive(self, id: str | None) -> bool:
        return any(job.id == id and job.state not in FINISHED for job in self.jobs.values())

    def _note_fire(self, row: FireStep, verdict: str) -> int:
        """Write the ledger; how many rows that are."""
        ledger, now, rows = self.ledgers[row.name], self._now(), 0
        if row.missed:
            assert row.missed_from is not None
            missed = FireRecord(
                row.name, row.missed_from, now, FireOutcome.MISSED, None, None, row.missed_to, row.missed
            )
            ledger.setdefault(row.missed_from, missed)
            rows += 1
        if row.slot is None or verdict in ("stays", "repeated"):
            return rows
        outcome, reason, job = row.outcome or "", None, None
        if verdict == "made":
            job = row.job
        elif verdict == "noted":
            reason = row.reason
        elif verdict == "held":
            outcome, reason = FireOutcome.BUFFERED, "overlap"
        else:
            outcome, reason = FireOutcome.SKIPPED, verdict
        ledger[row.slot] = FireRecord(row.name, row.slot, now, FireOutcome(outcome), reason, job, None, 1)
        return rows + 1

    def _advanced(self, record: ScheduleRecord, row: FireStep, verdict: str, rows: int) -> ScheduleRecord:
        held: tuple[int | None, HeldFor | None] = (None, None)
        if verdict == "held":
            held = (row.slot, HeldFor.OVERLAP)
        elif verdict == "noted" and row.outcome == FireOutcome.ERROR:
            held = (row.slot, HeldFor.ERROR)
        elif verdict == "stays" or (not row.was_held and record.held_for is HeldFor.OVERLAP):
            held = (record.held_at, record.held_for)
        due = [at for at in (row.due_at, None if held[0] is None else row.again_at) if at is not None]
        return replace(
            record,
            revision=record.revision + 1,
            planned_at=row.planned_at,
            next_at=row.next_at,
            due_at=min(due, default=None),
            last_job=row.job if verdict == "made" else record.last_job,
            held_at=held[0],
            held_for=held[1],
            fires=record.fires + rows,
        )
