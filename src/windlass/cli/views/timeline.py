"""The history of a job, and why it is not running."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windlass.cli.terminal.screen import WIDE, Cell, Column, Screen, Styled
from windlass.cli.times import length
from windlass.cli.views.style import state_cell
from windlass.insight import json_forms
from windlass.insight.redact import redacted_text
from windlass.insight.timeline import TimelineEntry
from windlass.job import Job

_LENGTHS = {"seconds": "after", "next_in": "next in"}
"""Details that are lengths of time in seconds, and how they read."""
_MINUTES = 120
"""Seconds from which on a length of time is not told in seconds."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A job's life, the earliest first."""

    id: str
    entries: Sequence[TimelineEntry]

    def data(self) -> object:
        return json_forms.timeline(self.id, self.entries)

    def draw(self, screen: Screen) -> None:
        columns = [
            Column(title="AT (UTC)"),
            Column(title="AFTER", is_number=True, may_go=True),
            Column(title="WHAT"),
            Column(title="FENCE", is_number=True, may_go=True),
            Column(title="DETAIL", least=10),
        ]
        at = _date_and_time if screen.width >= WIDE else _time
        began = min((entry.at for entry in self.entries), default=None)
        screen.table(columns, [_row(entry, began or entry.at, at) for entry in self.entries])


def _row(entry: TimelineEntry, began: datetime, at: Callable[[datetime], str]) -> list[Cell]:
    fence = "" if entry.fence is None else str(entry.fence)
    return [at(entry.at), _after(entry.at - began), Styled(entry.kind, "bold"), fence, _detail(entry)]


def _date_and_time(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")


def _time(moment: datetime) -> str:
    return _date_and_time(moment).split()[1]


def _after(passed: timedelta) -> str:
    return f"+{passed.total_seconds():.3f}s" if passed < timedelta(minutes=1) else f"+{length(passed)}"


def _detail(entry: TimelineEntry) -> str:
    parts = [_part(name, value) for name, value in entry.detail.items()]
    return ", ".join([*parts, entry.worker] if entry.worker else parts)


def _part(name: str, value: object) -> str:
    """
    >>> [_part("seconds", seconds) for seconds in (0.01234, 99.94, 1800.0)], _part("next_in", 259_200.0)
    (['after 0.0123 s', 'after 99.9 s', 'after 30m'], 'next in 3d')
    """
    if name not in _LENGTHS or not isinstance(value, int | float):
        return f"{name} {value}"
    return f"{_LENGTHS[name]} {f'{value:.3g} s' if value < _MINUTES else length(timedelta(seconds=value))}"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a job is not running."""

    job: Job[Any]
    why: str

    def data(self) -> object:
        return json_forms.why(self.job, self.why)

    def draw(self, screen: Screen) -> None:
        screen.line(state_cell(self.job.state), f": {redacted_text(self.why)}")
