"""What runs next, what ran last; one schedule."""

from __future__ import annotations

from windlass.insight.payload import parameters_of
from windlass.insight.schedules import ScheduleValues
from windlass.schedules.schedule import Schedule
from windlass.web.route import Call, Nothing
from windlass.web.site.page import Page

_MOST = 500
_PREVIEWED = 10
_FIRES = 50


async def schedules(call: Call[Nothing, None]) -> Page:
    """All schedules, the next to fire first."""
    found = await call.app.aschedules()
    shown = {
        "schedules": sorted(found, key=_by_next)[:_MOST],
        "schedule_count": len(found),
        "paused_count": sum(1 for one in found if one.state == "paused"),
        "next_at": min((one.next_at for one in found if one.next_at is not None), default=None),
        "when": {one.name: when(one) for one in found},
    }
    return Page("schedules.html", "Schedules", shown, here="/schedules")


def _by_next(one: Schedule) -> tuple[bool, float, str]:
    return one.next_at is None, 0.0 if one.next_at is None else one.next_at.timestamp(), one.name


def when(one: Schedule) -> str:
    """Its expression or interval; what is wrong with it if it cannot be read."""
    if one.problem is not None:
        return one.problem
    settings = one.settings
    return settings.cron if settings.cron is not None else f"every {settings.every}"


async def schedule(call: Call[Nothing, None]) -> Page:
    """One schedule: its next slots, what became of the last ones, what it calls."""
    one = await call.app.aschedule(call.path["name"])
    values = ScheduleValues.of(one, parameters_of(one.task, call.app.tasks))
    shown = {
        "schedule": one,
        "when": when(one),
        "preview": [] if one.problem or not one.enabled else one.preview(_PREVIEWED),
        "fires": await one.afires(limit=_FIRES),
        "values": values,
    }
    return Page("schedule.html", one.name, shown, here="/schedules")
