"""Copies schedules to another store, where they go on; at the source they are paused."""

from __future__ import annotations

from msgspec.structs import replace

from windlass.client.session import Session
from windlass.errors import ConfigError
from windlass.store.operations.schedules.changes import change, every_schedule, save
from windlass.store.operations.schedules.edits import paused, replanned
from windlass.store.operations.schedules.records import ScheduleRecord


def has_schedules(store: Session) -> bool:
    """Whether there is any schedule."""
    return bool(store.run(every_schedule()))


def move_schedules(source: Session, target: Session, *, by: str, reason: str) -> int:
    """Pause all schedules at the source, as ``by``, and store those at the target that it has not; how many that were.

    They go on behind the last slot that was decided about. The ledger of fires stays at the source.
    """
    for record in source.run(every_schedule()):
        if record.paused_at is None:
            source.run(change(record.name, paused(by=by, reason=reason)))
    there = {record.name for record in target.run(every_schedule())}
    wanted = [_copy(record, by) for record in source.run(every_schedule()) if record.name not in there]
    return len(target.run(save(wanted)))


def _copy(record: ScheduleRecord, by: str) -> ScheduleRecord:
    """As it was before the move, and not stored yet."""
    new = replace(record, revision=0)
    if record.paused_by != by:
        return new
    new = replace(new, paused_at=None, paused_by=None, paused_reason=None)
    try:
        return replanned(new)
    except ConfigError:  # what cannot be read here is due at once: the leader's ledger says why
        return replace(new, due_at=new.planned_at)
