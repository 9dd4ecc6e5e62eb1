"""Schedules and their fires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass import clock
from windlass.clock import iso
from windlass.insight.schedules import ScheduleValues

if TYPE_CHECKING:
    from windlass.core.schedules.preview import PlannedFire
    from windlass.schedules.fires import Fire
    from windlass.schedules.schedule import Schedule
    from windlass.schedules.settings import ScheduleSettings

_SCHEDULE_SETTINGS = (
    "cron",
    "every",
    "tz",
    "catch_up",
    "catch_up_limit",
    "overlap",
    "jitter",
    "queue",
    "priority",
    "attempts",
    "timeout",
    "expires",
    "unique",
    "tags",
)


def schedules(found: Sequence[Schedule]) -> dict[str, object]:
    """All schedules."""
    return {"schedules": [schedule(one) for one in found]}


def schedule(one: Schedule) -> dict[str, object]:
    """A schedule in a list; of one that cannot be read only what the store knows."""
    record, declared = one.record, None if one.problem else one.declared
    paused, changed = clock.instant_or_none(record.paused_at), clock.instant_or_none(record.changed_at)
    return {
        "name": one.name,
        "task": one.task,
        "state": one.state,
        "origin": one.origin,
        "next_at": iso(one.next_at),
        **(dict.fromkeys(_SCHEDULE_SETTINGS) if one.problem else _schedule_settings(one.settings)),
        "paused": None
        if paused is None
        else {"at": iso(paused), "by": record.paused_by, "reason": record.paused_reason},
        "orphaned_at": iso(clock.instant_or_none(record.orphaned_at)),
        "changed": None
        if declared is None
        else {
            "at": iso(changed),
            "by": record.changed_by,
            "settings": one.changed,
            "code": _schedule_settings(declared),
        },
        "last_job": record.last_job,
        "problem": one.problem,
    }


def schedule_detail(one: Schedule, fires: Sequence[Fire], parameters: Sequence[str] = ()) -> dict[str, object]:
    """A schedule with its arguments, secrets masked, and its last slots."""
    values = ScheduleValues.of(one, parameters)
    given = {"args": values.args, "kwargs": values.kwargs, "meta": values.meta}
    return schedule(one) | given | {"fires": [fire(slot) for slot in fires]}


def fire(slot: Fire) -> dict[str, object]:
    """What became of a slot, or of several that were missed."""
    return {
        "schedule": slot.schedule,
        "planned_at": iso(slot.planned_at),
        "last_planned_at": iso(slot.last_planned_at),
        "count": slot.count,
        "at": iso(slot.at),
        "outcome": slot.outcome,
        "reason": slot.reason,
        "job": slot.job,
    }


def preview(one: Schedule, planned: Sequence[PlannedFire]) -> dict[str, object]:
    """The next slots of a schedule."""
    slots = [{"at": iso(slot.at), "local": slot.local.isoformat(), "note": slot.note or None} for slot in planned]
    return {"name": one.name, "tz": one.settings.tz, "state": one.state, "slots": slots}


def fired(fires: Sequence[Fire]) -> dict[str, object]:
    """What became of the slots that were due."""
    return {"duty": "fire", "fired": [fire(slot) for slot in fires]}


def _schedule_settings(settings: ScheduleSettings) -> dict[str, object]:
    return {
        "cron": settings.cron,
        "every": None if settings.every is None else settings.every.total_seconds(),
        "tz": settings.tz,
        "catch_up": str(settings.catch_up),
        "catch_up_limit": settings.catch_up_limit,
        "overlap": str(settings.overlap),
        "jitter": settings.jitter.total_seconds(),
        "queue": settings.queue,
        "priority": settings.priority,
        "attempts": settings.attempts,
        "timeout": None if settings.timeout is None else settings.timeout.total_seconds(),
        "expires": None if settings.expires is None else settings.expires.total_seconds(),
        "unique": settings.unique,
        "tags": list(settings.tags),
    }
