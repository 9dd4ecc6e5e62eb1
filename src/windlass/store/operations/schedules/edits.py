"""The changes of a schedule, as pure functions of its record and the time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from windlass.clock import instant
from windlass.core.schedules.timetable import Timetable
from windlass.core.schedules.zones import zone_data_version
from windlass.errors import ConfigError
from windlass.store.operations.schedules.definition import Definition, read_definition, write_definition
from windlass.store.operations.schedules.records import Origin, ScheduleRecord

Edit = Callable[[ScheduleRecord, int], ScheduleRecord]
"""What a schedule becomes, from what it is and the store's time."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def in_milliseconds(moment: datetime) -> int:
    """An instant as stores have it."""
    return (moment - _EPOCH) // _MILLISECOND


def slot_times(timetable: Timetable, slot: datetime | None) -> tuple[int | None, int | None]:
    """A slot and the instant at which it fires, as stores have them."""
    return (None, None) if slot is None else (in_milliseconds(slot), in_milliseconds(timetable.due(slot)))


def new_schedule(name: str, definition: Definition, *, now: int, origin: Origin) -> ScheduleRecord:
    """A schedule that is not stored yet; its first slot is the first after now."""
    text = write_definition(definition)
    declared = text if origin is Origin.CODE else None
    record = ScheduleRecord(name, definition.job.task, origin, text, declared, revision=0, created_at=now)
    return replanned(record, since=now)


def replanned(record: ScheduleRecord, *, since: int | None = None) -> ScheduleRecord:
    """Look for the next slot anew, after the last one that was decided about or after ``since``."""
    planned_at = record.planned_at if since is None else since
    if not record.is_active:
        return replace(record, planned_at=planned_at, next_at=None, due_at=None)
    timetable = read_definition(record.definition).timetable(record.name)
    next_at, due_at = slot_times(timetable, timetable.next_after(instant(planned_at)))
    if record.held_at is not None and record.due_at is not None:
        due_at = record.due_at if due_at is None else min(due_at, record.due_at)
    return replace(record, planned_at=planned_at, next_at=next_at, due_at=due_at, zone_data=zone_data_version())


def edited(definition: Definition, *, by: str) -> Edit:
    """An operator's change; what the code declares does not overwrite it. One made by hand just changes."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        changed = _defined(record, definition, now)
        return replace(changed, changed_at=now, changed_by=by)

    return edit


def reset() -> Edit:
    """Back to what the code declares; one made by hand stays as it is."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        if record.declared is None:
            return record
        return replace(_defined(record, read_definition(record.declared), now), changed_at=None, changed_by=None)

    return edit


def paused(*, by: str, reason: str | None) -> Edit:
    """It does not fire until it is resumed."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        return replanned(replace(record, paused_at=now, paused_by=by, paused_reason=reason))

    return edit


def resumed() -> Edit:
    """It fires from now on; slots of the pause are not caught up with."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        if record.paused_at is None:
            return record
        return replanned(
            replace(record, paused_at=None, paused_by=None, paused_reason=None, held_at=None, held_for=None),
            since=now,
        )

    return edit


def recomputed() -> Edit:
    """The next slot by the zone data that this process has."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        return replanned(record)

    return edit


def declared_as(definition: Definition) -> Edit:
    """What the code says by now. What an operator made or changed stays as it is; one that was orphaned goes on where
    it stopped.
    """

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        text = write_definition(definition)
        current = replace(record, declared=text, origin=Origin.CODE, orphaned_at=None)
        if record.origin is Origin.HAND and record.changed_at is None and record.definition != text:
            current = replace(current, changed_at=record.created_at)
        elif record.changed_at is None and record.definition != text:
            current = _defined(current, definition, now)
        return replanned(current) if record.orphaned_at is not None else current

    return edit


def orphaned() -> Edit:
    """No live version of the code declares it."""

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        return replanned(replace(record, orphaned_at=now))

    return edit


def _defined(record: ScheduleRecord, definition: Definition, now: int) -> ScheduleRecord:
    """With this definition. Only where it is due at other times, slots are counted from now on."""
    before = _times(record.definition)
    changed = replace(record, definition=write_definition(definition), task=definition.job.task)
    return changed if before == _times(changed.definition) else replanned(changed, since=now)


def _times(text: str) -> tuple[str | None, int | None, str, int] | None:
    try:
        definition = read_definition(text)
    except ConfigError:
        return None
    return definition.cron, definition.every, definition.zone, definition.jitter
