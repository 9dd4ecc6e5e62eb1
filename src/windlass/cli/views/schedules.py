"""Schedules at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass import clock
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, second
from windlass.insight import json_forms
from windlass.schedules.schedule import Schedule

STATE_STYLES = {"active": "green", "paused": "yellow", "orphaned": "bold red", "new": "blue"}


@dataclass(frozen=True, slots=True)
class ScheduleList:
    """Every schedule: when it is due, when next, and what a person has changed."""

    schedules: Sequence[Schedule]

    def data(self) -> object:
        return json_forms.schedules(self.schedules)

    def draw(self, screen: Screen) -> None:
        if not self.schedules:
            screen.line("no schedules")
            return
        columns = [
            Column(title="SCHEDULE", least=12),
            Column(title="DUE", least=9, good=14),
            Column(title="ZONE", least=8, may_go=True),
            Column(title="NEXT"),
            Column(title="STATE"),
            Column(title="TASK", least=10, may_go=True),
        ]
        screen.table(columns, [_row(schedule) for schedule in self.schedules])
        for schedule in self.schedules:
            for note, style in notes(schedule):
                screen.line("  ", Styled(schedule.name, "bold"), ": ", Styled(note, style))


def _row(schedule: Schedule) -> list[Cell]:
    state = Styled(schedule.state, STATE_STYLES[schedule.state])
    if schedule.problem:
        return [schedule.name, Styled("unreadable", "red"), "", age(schedule.next_at), state, schedule.task]
    settings = schedule.settings
    zone = settings.tz if settings.cron is not None else ""
    return [schedule.name, settings.due, zone, age(schedule.next_at), state, schedule.task]


def notes(schedule: Schedule) -> list[tuple[str, str]]:
    """What a person has to know about it, each with its style."""
    record = schedule.record
    found: list[tuple[str, str]] = []
    if record.paused_at is not None:
        reason = f": {record.paused_reason}" if record.paused_reason else ""
        found.append((f"paused by {record.paused_by} {age(clock.instant(record.paused_at))}{reason}", "yellow"))
    if record.orphaned_at is not None:
        since = age(clock.instant(record.orphaned_at))
        found.append((f"orphaned {since}: no code that runs declares it; it does not fire", "bold red"))
    if schedule.problem:
        found.append((schedule.problem, "bold red"))
    elif schedule.changed:
        since = age(clock.instant(record.changed_at or 0))
        found.append(
            (f"{', '.join(schedule.changed)} changed by {record.changed_by} {since}; the code says otherwise", "")
        )
    return found


def next_slot(schedule: Schedule) -> str:
    """When it is due next, in words."""
    if schedule.next_at is None:
        return "never" if schedule.enabled else f"none while it is {schedule.state}"
    return f"{second(schedule.next_at)} ({age(schedule.next_at)})"
