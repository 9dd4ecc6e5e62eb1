"""Queues at a glance, and one with each of its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length
from windlass.cli.views.limits.limits import cooling
from windlass.cli.views.style import count_cell
from windlass.core.rates.cooldown import Cooldown
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.core.units import duration
from windlass.insight import json_forms
from windlass.insight.overview import QueueView
from windlass.options.queues import SETTINGS, QueueSettings
from windlass.retention import Retention

_STATES = (
    State.PENDING,
    State.RUNNING,
    State.SCHEDULED,
    State.RETRYING,
    State.BLOCKED,
    State.FAILED,
    State.COMPLETED,
    State.CANCELLED,
)
_ALWAYS = (State.PENDING, State.RUNNING, State.FAILED)


@dataclass(frozen=True, slots=True)
class QueueList:
    """Every queue with its counts, its settings and how many workers serve it."""

    queues: Sequence[QueueView]
    everywhere: QueueSettings

    def data(self) -> object:
        return json_forms.queues(self.queues, self.everywhere)

    def draw(self, screen: Screen) -> None:
        if not self.queues:
            screen.line("no queues yet")
            return
        draw_queues(screen, self.queues)
        if self.everywhere.paused:
            screen.line(Styled(f"all queues are {paused(self.everywhere)}", "yellow"))
        if self.everywhere.max_running is not None:
            most = f"at most {self.everywhere.max_running:,} running"
            screen.line(f"all queues together: {most}{_changed(self.everywhere)}")


@dataclass(frozen=True, slots=True)
class QueueDetail:
    """A queue's counts, its settings, and who has set each of them, and when."""

    queue: QueueView

    def data(self) -> object:
        return json_forms.queue(self.queue)

    def draw(self, screen: Screen) -> None:
        _draw_counts(screen, [self.queue])
        settings, cooldown = self.queue.settings, self.queue.cooldown
        if settings.paused:
            screen.line(Styled(paused(settings), "yellow"))
        if cooldown is not None:
            screen.line(Styled(cooling(cooldown), "yellow"))
        screen.line("")
        columns = [
            Column(title="SETTING"),
            Column(title="VALUE", least=12),
            Column(title="SET BY"),
            Column(title="WHEN"),
        ]
        screen.table(columns, [_setting_row(name, self.queue.settings) for name in SETTINGS])


def _setting_row(name: str, settings: QueueSettings) -> list[Cell]:
    value, change = _value(name, settings), settings.changes.get(name)
    title = name.replace("_", " ")
    if change is not None:
        return [title, value or "-", change.by, age(change.at)]
    return [title, value or "-", "code" if value else "-", "-"]


def _value(name: str, settings: QueueSettings) -> str:
    """A setting as text; empty where it is not set."""
    match name:
        case "retention":
            return "" if settings.retention is None else _kept(settings.retention)
        case "retry":
            return "" if settings.retry is None else _waits(settings.retry)
        case "cooldown":
            return "" if settings.cooldown is None else _rule(settings.cooldown)
        case "rate":
            return "" if settings.rate is None else f"{settings.rate}, burst {settings.burst:,}"
        case _:
            number = getattr(settings, name)
            return "" if number is None else f"{number:,}"


def _rule(rule: Cooldown) -> str:
    if not rule.enabled:
        return "off"
    return "..".join(length(timedelta(milliseconds=bound)) for bound in (rule.shortest, rule.longest))


def _waits(retry: Retry) -> str:
    base, cap = (length(duration(value, "retry")) for value in (retry.base, retry.cap))
    growth = f"times {retry.factor:g}" if retry.backoff == "exponential" else retry.backoff
    return f"{retry.attempts:,} attempts, {base}..{cap}, {growth}"


def _kept(retention: Retention) -> str:
    kept = {state: getattr(retention, state) for state in ("completed", "cancelled", "failed")}
    said = [f"{state} {'for ever' if time is None else length(time)}" for state, time in kept.items()]
    return ", ".join(said if retention.at_most is None else [*said, f"at most {retention.at_most:,}"])


def draw_queues(screen: Screen, queues: Sequence[QueueView]) -> None:
    """The table of queues, and below it their settings."""
    _draw_counts(screen, queues)
    for queue in queues:
        if settings := _settings(queue):
            is_held = queue.settings.paused or queue.cooldown is not None
            screen.line("  ", Styled(queue.name, "bold"), ": ", Styled(settings, "yellow" if is_held else ""))


def _draw_counts(screen: Screen, queues: Sequence[QueueView]) -> None:
    """A queue that no worker serves is red."""
    columns = [
        Column(title="QUEUE", least=12),
        *(Column(title=str(state).upper(), is_number=True, may_go=state not in _ALWAYS) for state in _STATES),
        Column(title="OLDEST", is_number=True),
        Column(title="WORKERS", is_number=True),
    ]
    screen.table(columns, [_row(queue) for queue in queues])


def _row(queue: QueueView) -> list[Cell]:
    red = "bold red" if queue.is_unserved else ""
    return [
        Styled(queue.name, red),
        *(count_cell(state, queue.counts[state]) for state in _STATES),
        "-" if queue.oldest is None else length(queue.oldest),
        Styled(str(queue.workers), red),
    ]


def _settings(queue: QueueView) -> str:
    settings = queue.settings
    parts = [
        paused(settings) if settings.paused else "",
        "" if queue.cooldown is None else cooling(queue.cooldown),
        f"weight {settings.weight}" if settings.weight is not None else "",
        f"max length {settings.max_length:,}" if settings.max_length is not None else "",
        f"at most {settings.max_running:,} running" if settings.max_running is not None else "",
        "own retention" if settings.retention is not None else "",
        "own retry rule" if settings.retry is not None else "",
        f"{settings.rate}, burst {settings.burst:,}" if settings.rate is not None else "",
        "own cool-down rule" if settings.cooldown is not None else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f"{said}{_changed(settings)}" if said else ""


def _changed(settings: QueueSettings) -> str:
    """Who changed which of the settings, and when, the newest first."""
    by: dict[str, list[str]] = {}
    newest: dict[str, datetime] = {}
    for name, change in settings.changes.items():
        by.setdefault(change.by, []).append(name.replace("_", " "))
        newest[change.by] = max(change.at, newest.get(change.by, change.at))
    said = [
        f"{', '.join(by[who])} changed by {who} {age(at)}"
        for who, at in sorted(newest.items(), key=lambda found: found[1], reverse=True)
    ]
    return f" ({'; '.join(said)})" if said else ""


def paused(settings: QueueSettings) -> str:
    """Who paused it, since when and why, in a few words."""
    reason = f": {settings.paused_reason}" if settings.paused_reason else ""
    return f"paused by {settings.paused_by} {age(settings.paused_at)}{reason}"
