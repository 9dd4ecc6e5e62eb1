"""Figures as values for JSON: one form for the command line and for HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windlass import clock
from windlass.clock import iso
from windlass.core.figures.row import Row
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import FigurePoint, Level, Times, all_counts, point_view
from windlass.store.operations.figures.roll_up import RolledUp


def figures_form(figures: Figures, *, aggregate: str | None = None) -> dict[str, object]:
    """A range of figures, in steps; with an aggregate each point also has ``values``, one number of each measure."""
    form: dict[str, Any] = {
        "series": figures.series,
        "since": iso(figures.since),
        "until": iso(figures.until),
        "step_seconds": figures.step.total_seconds(),
        "points": [point_form(point) for point in figures.points],
        "total": point_form(figures.total),
        "by": {name: point_form(point) for name, point in figures.by.items()},
    }
    if aggregate is None:
        return form
    found = figures.aggregated(aggregate)
    form["aggregate"] = aggregate
    form["total"]["values"] = found.total
    for point, values in zip(form["points"], found.points, strict=True):
        point["values"] = values
    for name, values in found.by.items():
        form["by"][name]["values"] = values
    return form


def point_form(point: FigurePoint) -> dict[str, object]:
    """The figures of one step; one of which nothing is known has no counts."""
    return {
        "at": iso(point.at),
        "known": point.is_known,
        "counts": all_counts(point),
        "wait": _times(point.wait),
        "run": _times(point.run),
        "levels": {name: _level(level) for name, level in point.levels.items()},
        "errors": dict(point.errors),
        "mean_attempts": point.mean_attempts,
        "mean_payload_bytes": point.mean_payload,
    }


def raw_form(rows: Sequence[tuple[int, Row]]) -> dict[str, object]:
    """What workers have gathered and no leader has merged yet."""
    return {
        "rows": [
            {
                "at": iso(clock.instant(at)),
                "worker": row.worker,
                "jobs": [
                    {"queue": queue, "task": task, **point_form(point_view(at, point))}
                    for queue, task, point in row.jobs
                ],
                "arrivals": [
                    {"at": iso(clock.instant(one.at)), "queue": one.queue, "task": one.task, "number": one.number}
                    for one in row.arrivals
                ],
                "schedules": {name: dict(point.counts) for name, point in row.schedules.items()},
            }
            for at, row in rows
        ]
    }


def roll_up_form(done: RolledUp) -> dict[str, object]:
    """What a roll-up did."""
    return {"duty": "roll-up", "rows": done.rows, "buckets": done.buckets, "pruned": done.pruned}


def _times(times: Times | None) -> dict[str, object] | None:
    if times is None:
        return None
    lengths = {name: getattr(times, name).total_seconds() for name in ("mean", "min", "max", "p50", "p95", "p99")}
    return {"count": times.count, **{f"{name}_seconds": seconds for name, seconds in lengths.items()}}


def _level(level: Level) -> dict[str, float]:
    return {"mean": level.mean, "min": level.min, "max": level.max, "newest": level.newest}
