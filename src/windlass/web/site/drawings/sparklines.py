"""Small drawings for rows of tables, as numbers for SVG: a day in 64 pixels, the last runs, shares of a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.insight.figures.view import FigurePoint

_WIDTH, _HEIGHT = 61.0, 14.0
_SHAPES = {
    "completed": (4, 12),
    "running": (4, 12),
    "failed": (0, 16),
    "cancelled": (10, 6),
    "scheduled": (8, 8),
    "retrying": (8, 8),
    "blocked": (10, 6),
    "gone": (4, 12),
    "pending": (14, 2),
}
"""How high a run of each kind is drawn: height tells outcomes apart where colour does not."""


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A line in a box of 64 by 18; ``y`` is where it ends."""

    path: str
    area: str
    y: float
    summary: str


def draw_sparkline(values: Sequence[float | None], summary: str) -> Sparkline | None:
    """None where nothing is known, or all of it is nothing; what is not known counts as nothing.

    >>> draw_sparkline([0, 2, 1], "up to 2").path
    'M0.0 14.0L30.5 0.0L61.0 7.0'
    """
    most = max((value for value in values if value), default=0)
    if not most:
        return None
    step = _WIDTH / max(len(values) - 1, 1)
    points = [(index * step, _HEIGHT - (value or 0) / most * _HEIGHT) for index, value in enumerate(values)]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return Sparkline(f"M{line}", f"M{line}L61 14L0 14Z", round(points[-1][1], 1), summary)


def draw_failures(hours: Sequence[int]) -> Sparkline | None:
    """How many jobs failed in each hour of a day; None where none did."""
    return draw_sparkline(hours, f"{sum(hours):,} in the last 24 hours, up to {max(hours, default=0):,} in one")


@dataclass(frozen=True, slots=True)
class HourBar:
    """The failures of one hour, in percent of a box."""

    x: float
    height: float
    count: int
    begins: datetime


def draw_hours(hours: Sequence[int], *, now: datetime) -> list[HourBar]:
    """How many jobs failed in each hour up to now, the earliest first; an hour with one of many is still seen.

    >>> [(bar.x, bar.height) for bar in draw_hours([0, 200, 1], now=datetime(2026, 11, 18))]
    [(0.0, 0), (33.33, 100.0), (66.67, 4)]
    """
    most = max(hours, default=0) or 1
    return [
        HourBar(
            round(100 * place / len(hours), 2),
            max(4, round(100 * count / most, 1)) if count else 0,
            count,
            now - timedelta(hours=len(hours) - place),
        )
        for place, count in enumerate(hours)
    ]


@dataclass(frozen=True, slots=True)
class RunBar:
    """One run in a row of runs, in a box of 100 by 16."""

    state: str
    x: float
    y: int
    height: int


RUNS = 14
"""How many runs a row of them shows."""


def draw_runs(states: Sequence[str], *, most: int = RUNS) -> list[RunBar]:
    """The last runs, the newest at the right; where there are fewer, the left is empty.

    >>> [(bar.state, bar.x) for bar in draw_runs(["completed", "failed"], most=4)]
    [('pending', 0.0), ('pending', 25.0), ('completed', 50.0), ('failed', 75.0)]
    """
    shown = ["pending"] * (most - len(states[-most:])) + list(states[-most:])
    return [
        RunBar("pending" if state == "gone" else state, round(index * 100 / most, 1), *_SHAPES[state])
        for index, state in enumerate(shown)
    ]


@dataclass(frozen=True, slots=True)
class Activity:
    """What a worker did, step by step, as bars and in words."""

    bars: Sequence[RunBar]
    summary: str


_ACTIVITIES = {
    "with failures": "failed",
    "draining": "retrying",
    "paused": "blocked",
    "busy": "running",
    "idle": "pending",
}
"""What a worker does in a step, and in whose colour and shape that is drawn; the first that holds counts."""


def draw_activity(points: Sequence[FigurePoint]) -> Activity:
    """It failed jobs, drained, was paused, busy or idle; nothing where nothing is known."""
    width = 100 / max(len(points), 1)
    did = [(index, word) for index, point in enumerate(points) if (word := _activity(point)) is not None]
    counted = Counter(word for _, word in did)
    return Activity(
        [RunBar(_ACTIVITIES[word], round(index * width, 2), *_SHAPES[_ACTIVITIES[word]]) for index, word in did],
        ", ".join(f"{word} in {counted[word]}" for word in _ACTIVITIES if word in counted)
        + f" of {len(did)} steps of two minutes",
    )


def _activity(point: FigurePoint) -> str | None:
    if not point.is_known:
        return None
    if point.failed:
        return "with failures"
    for held in ("draining", "paused"):
        if held in point.levels:
            return held
    running = point.levels.get("running")
    return "busy" if (running is not None and running.max > 0) or point.run is not None else "idle"


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar that stands for the whole, in percent."""

    name: str
    count: int
    x: float
    width: float


def draw_shares(counts: Mapping[str, int]) -> list[Share]:
    """Parts side by side, each as wide as its share; those of nothing are left out.

    >>> [(share.name, share.x, share.width) for share in draw_shares({"pending": 3, "failed": 0, "running": 1})]
    [('pending', 0.0, 75.0), ('running', 75.0, 25.0)]
    """
    total, x = sum(counts.values()), 0.0
    shares: list[Share] = []
    for name, count in counts.items():
        if count:
            width = count / total * 100
            shares.append(Share(name, count, round(x, 2), round(width, 2)))
            x += width
    return shares
