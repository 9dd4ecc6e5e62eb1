"""Figures as values for JSON: one form for the command line and for HTTP."""

from __future__ import annotations

from msgspec.structs import asdict

from windlass.clock import iso
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import FigurePoint, Level, Times
from windlass.store.operations.figures.roll_up import RolledUp


def figures_form(figures: Figures) -> dict[str, object]:
    """A range of figures, in steps."""
    return {
        "series": figures.series,
        "since": iso(figures.since),
        "until": iso(figures.until),
        "step_seconds": figures.step.total_seconds(),
        "points": [point_form(point) for point in figures.points],
        "total": point_form(figures.total),
        "by": {name: point_form(point) for name, point in figures.by.items()},
    }


def point_form(point: FigurePoint) -> dict[str, object]:
    """The figures of one step. Of one of which nothing is known only when it was."""
    if not point.is_known:
        return {"at": iso(point.at), "known": False}
    return {
        "at": iso(point.at),
        "known": True,
        "counts": {
            "enqueued": point.enqueued,
            "completed": point.completed,
            "failed": point.failed,
            "retried": point.retried,
            **point.counts,
        },
        "wait": _times(point.wait),
        "run": _times(point.run),
        "levels": {name: _level(level) for name, level in point.levels.items()},
        "errors": dict(point.errors),
        "mean_attempts": point.mean_attempts,
        "mean_payload_bytes": point.mean_payload,
    }


def roll_up_form(done: RolledUp) -> dict[str, object]:
    """What a roll-up did."""
    return asdict(done)


def _times(times: Times | None) -> dict[str, object] | None:
    if times is None:
        return None
    lengths = {name: getattr(times, name).total_seconds() for name in ("mean", "min", "max", "p50", "p95", "p99")}
    return {"count": times.count, **{f"{name}_seconds": seconds for name, seconds in lengths.items()}}


def _level(level: Level) -> dict[str, float]:
    return {"mean": level.mean, "min": level.min, "max": level.max, "newest": level.newest}
