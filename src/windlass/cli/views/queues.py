"""Queues at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length
from windlass.cli.views.limits import cooling
from windlass.cli.views.style import count_cell
from windlass.core.state import State
from windlass.insight import json_forms
from windlass.insight.overview import QueueView
from windlass.queue import QueueSettings

_STATES = (
    State.PENDING,
    State.RUNNING,
    State.SCHEDULED,
    State.RETRYING,
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


def draw_queues(screen: Screen, queues: Sequence[QueueView]) -> None:
    """The table of queues, and below it their settings; a queue that no worker serves is red."""
    columns = [
        Column(title="QUEUE", least=12),
        *(Column(title=str(state).upper(), is_number=True, may_go=state not in _ALWAYS) for state in _STATES),
        Column(title="OLDEST", is_number=True),
        Column(title="WORKERS", is_number=True),
    ]
    screen.table(columns, [_row(queue) for queue in queues])
    for queue in queues:
        if settings := _settings(queue):
            is_held = queue.settings.paused or queue.cooldown is not None
            screen.line("  ", Styled(queue.name, "bold"), ": ", Styled(settings, "yellow" if is_held else ""))


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
    return f"{said}{_changed(settings)}" if said and not settings.paused else said


def _changed(settings: QueueSettings) -> str:
    if settings.changed_at is None:
        return ""
    return f" (changed by {settings.changed_by} {age(settings.changed_at)})"


def paused(settings: QueueSettings) -> str:
    """Who paused it, since when and why, in a few words."""
    reason = f": {settings.paused_reason}" if settings.paused_reason else ""
    return f"paused by {settings.paused_by} {age(settings.paused_at)}{reason}"
