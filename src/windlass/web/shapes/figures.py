"""Figures over time."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import UNSET, Struct, UnsetType


class FiguresQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whose figures, of which time."""

    queue: str | None = None
    task: str | None = None
    worker: str | None = None
    schedule: str | None = None
    store: bool = False
    """What was read of the store itself."""
    range: str = "1h"
    """How far back: 10m, 6h, 7d, 400d."""
    step: str | None = None
    """A multiple of 10s; chosen by the range without it."""
    by: str | None = None
    """Also tell the whole range by queue, task, worker or schedule."""
    aggregate: Literal["avg", "sum", "p95", "p99"] | None = None
    """Also tell each point as one number of each measure."""


class Times(Struct, frozen=True):
    """Lengths of time that were measured."""

    count: int
    mean_seconds: float
    min_seconds: float
    max_seconds: float
    p50_seconds: float
    p95_seconds: float
    p99_seconds: float


class Level(Struct, frozen=True):
    """A value that was read now and then."""

    mean: float
    min: float
    max: float
    newest: float


class FigurePoint(Struct, frozen=True):
    """The figures of one step."""

    at: datetime
    known: bool
    """False for a gap: nothing was watched then, or it is no longer kept."""
    counts: dict[str, int]
    wait: Times | None
    run: Times | None
    levels: dict[str, Level]
    errors: dict[str, int]
    mean_attempts: float | None
    mean_payload_bytes: float | None
    values: dict[str, float] | UnsetType = UNSET
    """One number of each measure, where an aggregate was asked for."""


class Figures(Struct, frozen=True):
    """A range of figures, in steps."""

    series: str
    since: datetime
    until: datetime
    step_seconds: float
    points: list[FigurePoint]
    total: FigurePoint
    by: dict[str, FigurePoint]
    aggregate: str | UnsetType = UNSET


class RawJobs(FigurePoint, frozen=True, kw_only=True):
    """What one worker gathered of a task in a queue."""

    queue: str
    task: str


class Arrival(Struct, frozen=True):
    """Jobs that were enqueued at about the same time."""

    at: datetime
    queue: str
    task: str
    number: int


class RawRow(Struct, frozen=True):
    """What one worker gathered in two seconds."""

    at: datetime
    worker: str
    jobs: list[RawJobs]
    arrivals: list[Arrival]
    schedules: dict[str, dict[str, int]]


class RawFigures(Struct, frozen=True):
    """What no leader has merged yet, the oldest first."""

    rows: list[RawRow]
