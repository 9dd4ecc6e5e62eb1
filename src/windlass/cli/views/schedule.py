"""One schedule in detail, and its next slots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length
from windlass.cli.views.schedules import STATE_STYLES, next_slot, notes
from windlass.core.schedules.cron import Cron
from windlass.core.schedules.preview import PlannedFire
from windlass.core.schedules.slots import MOST_COUNTED
from windlass.core.schedules.zones import time_zone
from windlass.insight import json_forms
from windlass.insight.schedules import ScheduleValues
from windlass.schedules.fires import Fire
from windlass.schedules.schedule import Schedule
from windlass.schedules.settings import ScheduleSettings, interval_text

_OUTCOME_STYLES = {
    "on_time": "green",
    "late": "yellow",
    "caught_up": "yellow",
    "buffered": "cyan",
    "skipped": "yellow",
    "missed": "bold red",
    "error": "bold red",
}


@dataclass(frozen=True, slots=True)
class ScheduleDetail:
    """What a schedule says, what a person has changed, and what became of its last slots."""

    schedule: Schedule
    fires: Sequence[Fire]
    parameters: Sequence[str] = ()

    def data(self) -> object:
        return json_forms.schedule_detail(self.schedule, self.fires, self.parameters)

    def draw(self, screen: Screen) -> None:
        schedule = self.schedule
        state = Styled(schedule.state, STATE_STYLES[schedule.state])
        screen.line(Styled(schedule.name, "bold"), "  ", state)
        for note, style in notes(schedule):
            screen.line("  ", Styled(note, style))
        screen.fields([(name, value) for name, value in self._fields() if value])
        if self.fires:
            screen.line("")
            self._draw_fires(screen)

    def _fields(self) -> list[tuple[str, str]]:
        schedule = self.schedule
        if schedule.problem:
            return [("task", schedule.task)]
        values = ScheduleValues.of(schedule, self.parameters)
        code = schedule.declared
        shown = _shown(schedule.settings)
        if code is not None:
            said = _shown(code)
            shown = {
                name: text if said[name] == text else f"{text or '-'} (code: {said[name] or '-'})"
                for name, text in shown.items()
            }
        return [
            ("due", shown.pop("due")),
            ("in words", _in_words(schedule.settings)),
            ("next", next_slot(schedule)),
            ("task", schedule.task),
            ("args", _json(values.args)),
            ("kwargs", _json(values.kwargs)),
            *shown.items(),
            ("meta", _json(values.meta)),
            ("last job", schedule.record.last_job or ""),
            ("made by", schedule.record.changed_by or "hand" if schedule.origin == "hand" else "code"),
        ]

    def _draw_fires(self, screen: Screen) -> None:
        zone = self.schedule.settings.tz
        columns = [
            Column(title=f"SLOT ({zone})"),
            Column(title="OUTCOME"),
            Column(title="AFTER", is_number=True, may_go=True),
            Column(title="JOB", least=12),
        ]
        screen.table(columns, [_fire_row(fire, zone) for fire in self.fires])


def _shown(settings: ScheduleSettings) -> dict[str, str]:
    """The settings as texts, those that are not set as empty ones."""
    zone = f" in {settings.tz}" if settings.cron is not None else ""
    return {
        "due": f"{settings.due}{zone}",
        "catch up": str(settings.catch_up)
        + (f", at most {settings.catch_up_limit}" if settings.catch_up == "all" else ""),
        "overlap": str(settings.overlap),
        "jitter": interval_text(settings.jitter) if settings.jitter else "",
        "queue": settings.queue,
        "priority": str(settings.priority),
        "attempts": str(settings.attempts),
        "timeout": "none" if settings.timeout is None else interval_text(settings.timeout),
        "expires": "" if settings.expires is None else f"{interval_text(settings.expires)} after its slot",
        "unique": settings.unique or "",
        "tags": ", ".join(settings.tags),
    }


def _in_words(settings: ScheduleSettings) -> str:
    return "" if settings.cron is None else Cron(settings.cron, settings.tz).explain()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""


def _fire_row(fire: Fire, zone: str) -> list[Cell]:
    outcome = Styled(fire.outcome.replace("_", " "), _OUTCOME_STYLES.get(fire.outcome, ""))
    after = fire.at - fire.planned_at
    return [_slot(fire, zone), outcome, _after(after) if fire.job else "", _detail(fire)]


def _slot(fire: Fire, zone: str) -> str:
    return f"{_minute(fire.planned_at, zone)}{_further(fire.count)}"


def _further(count: int) -> str:
    """A clause for the slots behind the first of so many; not all are counted.

    >>> [_further(count) for count in (1, 8, 1000)]
    ['', ' and 7 more', ' and 999+ more']
    """
    return f" and {count - 1:,}{'+' if count >= MOST_COUNTED else ''} more" if count > 1 else ""


def _detail(fire: Fire) -> str:
    parts = [fire.job or "", (fire.reason or "").replace("_", " ")]
    return ", ".join(part for part in parts if part)


def _after(passed: timedelta) -> str:
    return f"+{length(max(passed, timedelta(0)))}"


def _minute(moment: datetime, zone: str) -> str:
    local = moment.astimezone(time_zone(zone))
    return f"{local:%Y-%m-%d %H:%M:%S}" if local.second else f"{local:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class Preview:
    """The next slots of a schedule."""

    schedule: Schedule
    planned: Sequence[PlannedFire]

    def data(self) -> object:
        return json_forms.preview(self.schedule, self.planned)

    def draw(self, screen: Screen) -> None:
        settings = self.schedule.settings
        if not self.schedule.enabled:
            screen.line(Styled(f"it does not fire: it is {self.schedule.state}; it would at", "yellow"))
        has_zone, has_notes = settings.tz != "UTC", any(one.note for one in self.planned)
        columns = [
            (has_zone, Column(title=f"IN {settings.tz}")),
            (True, Column(title="IN UTC")),
            (True, Column(title="FROM NOW", is_number=True, may_go=True)),
            (has_notes, Column(title="NOTE", least=10)),
        ]
        rows = [
            [cell for cell, (is_shown, _) in zip(_planned_row(one), columns, strict=True) if is_shown]
            for one in self.planned
        ]
        screen.table([column for is_shown, column in columns if is_shown], rows)
        if settings.jitter:
            screen.line(f"each up to {interval_text(settings.jitter)} later (jitter)")


def _planned_row(planned: PlannedFire) -> list[Cell]:
    seconds = ":%S" if planned.at.second else ""
    return [
        format(planned.local, f"%a %Y-%m-%d %H:%M{seconds} %z"),
        format(planned.at, f"%Y-%m-%d %H:%M{seconds}"),
        age(planned.at),
        Styled(planned.note, "yellow"),
    ]
