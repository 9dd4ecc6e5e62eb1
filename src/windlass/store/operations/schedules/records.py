"""The columns of schedules, of the ledger of fires and of code versions.

Instants are milliseconds since 1970 (UTC). The order of fields is the order of columns.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from windlass.core.schedules.policies import FireOutcome
from windlass.core.state import State


class Origin(StrEnum):
    """Where a schedule comes from."""

    CODE = "code"
    HAND = "hand"


class HeldFor(StrEnum):
    """Why a slot is kept back."""

    OVERLAP = "overlap"
    ERROR = "error"


class ScheduleRecord(Struct, frozen=True, array_like=True):
    """Everything that the store has about one schedule."""

    name: str
    task: str
    origin: Origin
    definition: str
    """JSON text (``Definition``)."""
    declared: str | None
    """What the code says; differs from ``definition`` where an operator has changed it. None for one made by hand."""
    revision: int
    """Grows with every write, fires included; every write names the one that it has seen. 0: not stored yet."""
    created_at: int
    changed_at: int | None = None
    """Set while an operator's change holds: what the code declares does not overwrite it."""
    changed_by: str | None = None
    paused_at: int | None = None
    paused_by: str | None = None
    paused_reason: str | None = None
    orphaned_at: int | None = None
    """Since when no live version of the code declares it, and it does not fire."""
    planned_at: int = 0
    """The last instant that was decided about: only later slots fire."""
    next_at: int | None = None
    """The next slot; None while it does not fire."""
    due_at: int | None = None
    """When a leader next looks at it: ``next_at`` with its jitter, or sooner for a slot that is kept back."""
    last_job: str | None = None
    """The id of the job that was made last."""
    held_at: int | None = None
    """A slot that is kept back."""
    held_for: HeldFor | None = None
    fires: int = 0
    """How many rows the ledger of fires has had."""
    zone_data: str | None = None
    """The version of the zone data by which ``next_at`` was computed."""

    @property
    def is_active(self) -> bool:
        """Whether it fires at all."""
        return self.paused_at is None and self.orphaned_at is None


class FireRecord(Struct, frozen=True, array_like=True):
    """A slot in the ledger of fires, or several in a row that were missed."""

    schedule: str
    planned_at: int
    at: int
    """When it was decided about."""
    outcome: FireOutcome
    reason: str | None
    """Why it was skipped, or the text of an error."""
    job: str | None
    """The id of the job that was made."""
    last_at: int | None
    """Of slots that were missed: the last one."""
    count: int
    """Of slots that were missed: how many, as far as they were counted; else 1."""


class ScheduleRun(Struct, frozen=True, array_like=True):
    """A slot of a schedule, and what became of the job that it made."""

    schedule: str
    planned_at: int
    outcome: FireOutcome
    state: State | None
    """Of the job now; None where no job was made, or retention has removed it."""


class FireStep(Struct, frozen=True, array_like=True):
    """One step that a leader takes with one schedule; the store carries it out whole or not at all."""

    name: str
    revision: int
    """The one that the leader has seen; the step is not taken where the schedule has another."""
    planned_at: int
    next_at: int | None
    due_at: int | None
    """What the schedule has afterwards."""
    again_at: int
    """When to look again if a slot is kept back after this step; ``due_at`` where that is sooner."""
    overlap: str
    slot: int | None = None
    """The slot that fires; None where slots were missed and nothing else."""
    outcome: str | None = None
    """What the ledger has if the job is made; of a step without a job, what it has in any case."""
    reason: str | None = None
    was_held: int = 0
    """1 where the slot is the one that was kept back."""
    job: str | None = None
    """The id of the job to be made, which is among the call's jobs."""
    missed_from: int | None = None
    missed_to: int | None = None
    missed: int = 0
    """How many slots were missed before this one."""


class FireResult(Struct, frozen=True, array_like=True):
    """What became of a step that was taken."""

    name: str
    verdict: str
    """``made``; ``held`` and ``stays``: the slot is kept back; ``overlap``, ``unique``, ``queue_full``: skipped;
    ``repeated``: the ledger has the slot already; ``noted``: a step without a job.
    """


class CodeVersion(Struct, frozen=True, array_like=True):
    """What one version of the code declares."""

    version: str
    first_seen: int
    seen_at: int
    declared: str
    """JSON text: definitions by name."""
