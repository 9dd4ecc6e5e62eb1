"""Reads a range of figures, in steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict

from windlass import clock
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.levels import LEVELS, Level, level_for, step_for
from windlass.core.figures.point import Point
from windlass.core.figures.series import (
    ALL,
    QUEUE,
    SCHEDULE,
    STORE,
    TASK,
    WORKER,
    name_in,
    pair,
    series,
    task_in,
)
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.insight.figures.aggregate import Aggregated, Span, aggregated
from windlass.insight.figures.view import FigurePoint, point_view
from windlass.store.operation import Operation
from windlass.store.operations.figures.read import figures_between
from windlass.store.operations.figures.rows import unmerged

POINTS_AT_MOST = 2_000
KINDS = (QUEUE, TASK, WORKER, SCHEDULE)
"""By which figures can be told apart."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a series in steps of time.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def tidy() -> None: ...
    >>> jobs = tidy.enqueue_many([()] * 3)
    >>> app.worker().run_until_empty()
    3
    >>> figures = app.figures(range="10m")
    >>> figures.total.completed, len(figures.points)
    (3, 60)
    >>> app.close()
    """

    series: str
    """What they are about, as ``all``, ``queue:mail``, ``worker:shop-1``."""
    since: datetime
    until: datetime
    step: timedelta
    points: list[FigurePoint]
    """One for each step, the oldest first; also for those of which nothing is known."""
    total: FigurePoint
    """All steps together."""
    by: Mapping[str, FigurePoint]
    """The whole range by name, for the kind that was asked for; those with most runs first."""

    def aggregated(self, aggregate: str) -> Aggregated:
        """One number of each measure, by ``avg``, ``sum``, ``p95`` or ``p99``: for each step, for all, and by name."""
        return aggregated(Span(self.points, self.step, self.until), self.total, self.by, aggregate)


class FigureOptions(TypedDict, total=False):
    """Whose figures: of all jobs, or of a queue, a task, both, a worker, a schedule or the store."""

    queue: str | None
    task: str | None
    worker: str | None
    schedule: str | None
    store: bool
    by: str | None
    """``queue``, ``task``, ``worker`` or ``schedule``: also tell the whole range by name; with a ``queue``, ``task``
    tells those of its jobs.
    """


@dataclass(frozen=True, slots=True)
class FigureQuery:
    """What is asked for, checked."""

    series: str
    length: int
    step: int
    level: Level
    by: str | None
    within: str | None = None
    """The queue whose tasks are told apart; None for those of all."""
    until: int | None = None
    """When the range ends; None: now."""


def figure_query(
    *,
    queue: str | None = None,
    task: str | None = None,
    worker: str | None = None,
    schedule: str | None = None,
    store: bool = False,
    range: Duration = "1h",
    step: Duration | None = None,
    by: str | None = None,
    until: datetime | None = None,
) -> FigureQuery:
    """Check what a caller asks for; raises ``ConfigError`` that names it."""
    length = milliseconds(range, "range")
    if not LEVELS[0].step <= length <= LEVELS[-1].kept:
        raise ConfigError(f"figures: range must be from 10 s to 400 days, got {range!r}")
    wanted = step_for(length) if step is None else milliseconds(step, "step")
    level = level_for(wanted) if wanted else None
    if level is None:
        raise ConfigError(f"figures: step must be a multiple of 10 s, got {step!r}")
    if length > level.kept:
        raise ConfigError(
            f"figures: steps of {step!r} reach back {_words(level.kept)}, and range is {range!r}; take a step of "
            f"{_words(step_for(length))} or leave it out"
        )
    if length / wanted > POINTS_AT_MOST:
        raise ConfigError(f"figures: range {range!r} has more than {POINTS_AT_MOST:,} steps of {step!r}")
    if by is not None and by not in KINDS:
        raise ConfigError(f"figures: by must be one of {', '.join(KINDS)}, got {by!r}")
    within = queue if by == TASK else None
    ends = None if until is None else round(until.timestamp() * 1000)
    return FigureQuery(_series(queue, task, worker, schedule, store), length, wanted, level, by, within, ends)


def figures(query: FigureQuery) -> Operation[Figures]:
    """The figures of a range, which ends now where it does not say otherwise."""
    [found] = yield from figures_of_several([query])
    return found


def figures_of_several(queries: Sequence[FigureQuery]) -> Operation[list[Figures]]:
    """The figures that several ask for about the same range in the same steps: what is stored is read once."""

    def wants(name: str) -> bool:
        return any(name == query.series or _told_apart(query, name) is not None for query in queries)

    found, steps, end = yield from _read(queries[0], wants)
    return [_figures(query, found, steps, end) for query in queries]


def _figures(query: FigureQuery, found: Mapping[int, Bucket], steps: range, end: int) -> Figures:
    first = steps[0]
    points = [(at, _step(found, query, query.series, at)) for at in steps]
    return Figures(
        series=query.series,
        since=clock.instant(first),
        until=clock.instant(end),
        step=timedelta(milliseconds=query.step),
        points=[point_view(at, point) for at, point in points],
        total=point_view(first, _together(point for _, point in points if point is not None)),
        by={} if query.by is None else _by(found.values(), query, at=first),
    )


def figure_lines(query: FigureQuery) -> Operation[dict[str, list[FigurePoint]]]:
    """The points of every series of the kind ``by``, step by step, by name: one read for all of them.

    A step in which a series has no figures, while others have some, is not known of it.
    """
    if query.by is None:
        raise ConfigError("figures: say by what the lines are told apart")
    kind = query.by
    found, steps, _ = yield from _read(query, lambda name: name_in(kind, name) is not None)
    names = {name_in(query.by, series_name) for bucket in found.values() for series_name in bucket} - {None}
    return {
        name: [point_view(at, _step(found, query, series(query.by, name), at, is_bare=False)) for at in steps]
        for name in sorted(name for name in names if name is not None)
    }


def _read(query: FigureQuery, wants: Callable[[str], bool]) -> Operation[tuple[dict[int, Bucket], range, int]]:
    """The buckets of the ``range`` with the wanted series, when each of its steps begins, and when it ends."""
    end = now = (yield from unmerged(limit=0)).now
    step = query.step
    if query.until is not None and query.until < now:
        end = query.until
    newest = end if end == now else end - 1  # a range that is over ends before its end
    last = newest - newest % step
    first = last - (-(-query.length // step) - 1) * step
    found = yield from figures_between(query.level, first, newest, wants=wants)
    return found, range(first, last + step, step), end


def _step(
    found: Mapping[int, Bucket], query: FigureQuery, series_name: str, at: int, *, is_bare: bool = True
) -> Point | None:
    """The point of one step of a series; None where there is no bucket for any part of it, or, unless it may be
    ``is_bare``, where none of them has the series.
    """
    level = query.level.step
    parts = [found[part] for part in range(at, at + query.step, level) if part in found]
    points = [bucket[series_name] for bucket in parts if series_name in bucket]
    return None if not points and not (parts and is_bare) else _together(points)


def _together(points: Iterable[Point]) -> Point:
    whole = Point()
    for point in points:
        whole.merge(point)
    return whole


def _told_apart(query: FigureQuery, series_name: str) -> str | None:
    """Under which name a series is one of those that are told apart; None for others."""
    if query.by is None:
        return None
    return name_in(query.by, series_name) if query.within is None else task_in(query.within, series_name)


def _by(buckets: Iterable[Bucket], query: FigureQuery, *, at: int) -> dict[str, FigurePoint]:
    whole: dict[str, Point] = {}
    for bucket in buckets:
        for series_name, point in bucket.items():
            name = _told_apart(query, series_name)
            if name is not None:
                whole.setdefault(name, Point()).merge(point)
    views = {name: point_view(at, point) for name, point in whole.items()}
    return dict(sorted(views.items(), key=lambda item: (-sum(item[1].counts.values()), item[0])))


def _series(queue: str | None, task: str | None, worker: str | None, schedule: str | None, store: bool) -> str:
    given = [queue is not None or task is not None, worker is not None, schedule is not None, store]
    if sum(given) > 1:
        raise ConfigError("figures: give a queue and a task, or a worker, or a schedule, or store=True, not several")
    if store:
        return STORE
    if worker is not None:
        return series(WORKER, worker)
    if schedule is not None:
        return series(SCHEDULE, schedule)
    if queue is not None and task is not None:
        return pair(queue, task)
    if queue is not None:
        return series(QUEUE, queue)
    return ALL if task is None else series(TASK, task)


def _words(milliseconds: int) -> str:
    for length, unit in ((24 * 3_600_000, "d"), (3_600_000, "h"), (60_000, "m")):
        if milliseconds >= length and milliseconds % length == 0:
            return f"{milliseconds // length}{unit}"
    return f"{milliseconds // 1000}s"
