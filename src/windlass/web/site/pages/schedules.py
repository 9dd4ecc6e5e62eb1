"""What runs next, what ran last; one schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import lru_cache

from windlass.app import Windlass
from windlass.core.schedules.cron import Cron
from windlass.core.schedules.policies import FireOutcome
from windlass.core.schedules.preview import PlannedFire, clock_change
from windlass.core.schedules.zones import time_zone
from windlass.core.state import State
from windlass.insight.payload import parameters_of
from windlass.insight.schedules import ScheduleValues
from windlass.schedules.schedule import Schedule
from windlass.schedules.settings import interval_text
from windlass.store.operations.schedules.changes import runs
from windlass.store.operations.schedules.records import ScheduleRun
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings.sparklines import RUNS, RunBar, draw_runs
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

_MOST = 500
_PREVIEWED = 10
_FIRES = 50

OVERLAPS = {"allow": "run beside it", "skip": "skip the slot", "buffer": "keep one slot back"}
CATCH_UPS = {"latest": "make up for the latest", "all": "make up for all", "skip": "skip them"}
_NO_JOB = {
    FireOutcome.SKIPPED: "cancelled",
    FireOutcome.BUFFERED: "scheduled",
    FireOutcome.MISSED: "failed",
    FireOutcome.ERROR: "failed",
}
"""How a slot without a job is drawn."""
_STATES = {State.PENDING: "scheduled", State.BLOCKED: "scheduled"}
"""How a job is drawn that is not drawn as its own state: what waits is not what is missing."""


_SHAPES = {"gone": "completed"}


async def _runs(app: Windlass, *names: str) -> Mapping[str, Sequence[ScheduleRun]]:
    return await app.client.session.arun(runs(names, limit=RUNS))


_RUNS = Recent(_runs, seconds=1)


@dataclass(frozen=True, slots=True)
class LastRun:
    """What became of the newest slot of a schedule."""

    shown_as: str
    """The state of a job that has its colour and shape."""
    word: str


@dataclass(frozen=True, slots=True)
class LastRuns:
    """The last slots of a schedule as bars, and in words."""

    bars: Sequence[RunBar]
    summary: str
    newest: LastRun

    @classmethod
    def of(cls, newest_first: Sequence[ScheduleRun]) -> LastRuns:
        counted = Counter(_word(run) for run in newest_first)
        return cls(
            draw_runs([_drawn(run) for run in reversed(newest_first)]),
            ", ".join(f"{count} {word}" for word, count in counted.most_common()),
            LastRun(_SHAPES.get(_drawn(newest_first[0]), _drawn(newest_first[0])), _word(newest_first[0])),
        )


def _drawn(run: ScheduleRun) -> str:
    if run.state is not None:
        return _STATES.get(run.state, str(run.state))
    return _NO_JOB.get(run.outcome, "gone")


def _word(run: ScheduleRun) -> str:
    if run.state is not None:
        return str(run.state)
    return str(run.outcome) if run.outcome in _NO_JOB else "deleted since"


async def schedules(call: Call[Nothing, None]) -> Page:
    """All schedules, the next to fire first."""
    found = await call.app.aschedules()
    listed = sorted(found, key=_by_next)[:_MOST]
    last = await _RUNS.of(call.app, *(one.name for one in listed))
    shown = {
        "schedules": listed,
        "last": {name: LastRuns.of(past) for name, past in last.items()},
        "schedule_count": len(found),
        "paused_count": sum(1 for one in found if one.state == "paused"),
        "next_at": min((one.next_at for one in found if one.next_at is not None), default=None),
        "when": {one.name: when(one) for one in listed},
        "words": {one.name: in_words(one) for one in listed},
        "local": {one.name: _on_its_clocks(one) for one in listed},
        "changes": {one.name: change for one in listed if (change := _clock_change(one, call.now)) is not None},
    }
    return Page("schedules.html", "Schedules", shown, here="/schedules")


def _on_its_clocks(one: Schedule) -> str:
    """When it fires next on the clocks of its zone; empty where that is no zone of its own."""
    if one.problem or one.next_at is None or one.settings.tz == "UTC":
        return ""
    return f"{one.next_at.astimezone(time_zone(one.settings.tz)):%a %H:%M %Z}"


def _clock_change(one: Schedule, now: datetime) -> PlannedFire | None:
    """Its next slot that a change of the clocks moves or doubles; None for most."""
    if one.problem or not one.enabled or not one.settings.cron:
        return None
    return _changed_slot(one.settings.cron, one.settings.tz, now.date())


@lru_cache(maxsize=2000)
def _changed_slot(expression: str, zone: str, day: date) -> PlannedFire | None:
    return clock_change(Cron(expression, zone), time_zone(zone), after=datetime.combine(day, time(), UTC))


def _by_next(one: Schedule) -> tuple[bool, float, str]:
    return one.next_at is None, 0.0 if one.next_at is None else one.next_at.timestamp(), one.name


def when(one: Schedule) -> str:
    """Its expression or interval; what is wrong with it if it cannot be read."""
    if one.problem is not None:
        return one.problem
    settings = one.settings
    if settings.cron is not None or settings.every is None:
        return settings.cron or ""
    return f"every {interval_text(settings.every)}"


def in_words(one: Schedule) -> str:
    """What its cron expression means; empty for an interval, which is in words already."""
    return "" if one.problem is not None or not one.settings.cron else _explained(one.settings.cron)


@lru_cache(maxsize=2000)
def _explained(expression: str) -> str:
    """
    >>> _explained("30 9 * * mon-fri")
    'at 09:30 on Monday through Friday'
    """
    text = Cron(expression).explain()
    return text[:1].lower() + text[1:]


async def schedule(call: Call[Nothing, None]) -> Page:
    """One schedule: its next slots, what became of the last ones, what it calls."""
    one = await call.app.aschedule(call.path["name"])
    values = ScheduleValues.of(one, parameters_of(one.task, call.app.tasks))
    shown = {
        "schedule": one,
        "when": when(one),
        "words": in_words(one),
        "preview": [] if one.problem or not one.enabled else one.preview(_PREVIEWED),
        "fires": await one.afires(limit=_FIRES),
        "values": values,
        "change": _clock_change(one, call.now),
        "OVERLAPS": OVERLAPS,
        "CATCH_UPS": CATCH_UPS,
    }
    return Page("schedule.html", one.name, shown, here="/schedules")
