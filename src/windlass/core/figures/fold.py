"""Adds rows to the buckets that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windlass.core.figures.bucket import Bucket, add_to
from windlass.core.figures.levels import FINEST, LEVELS, Level
from windlass.core.figures.point import Point
from windlass.core.figures.row import Row
from windlass.core.figures.series import ALL, QUEUE, SCHEDULE, TASK, WORKER, pair, series

Place = tuple[int, int]
"""The step of a level and the beginning of one of its buckets, in milliseconds."""

_OF_WORKERS = ("completed", "failed", "retried")
"""The counts that each worker has for itself."""


def fold(rows: Iterable[tuple[int, Row]], *, now: int, levels: Iterable[Level] = LEVELS) -> dict[Place, Bucket]:
    """What rows, each with the instant at which it was stored, add to which buckets; only to those that are kept."""
    by_instant: dict[int, Bucket] = {}
    for at, row in rows:
        for start, name, point in _points(FINEST.start(at), row):
            bucket = by_instant.setdefault(start, {})
            bucket.setdefault(name, Point()).merge(point)
    return spread(by_instant, now=now, levels=levels)


def spread(by_instant: dict[int, Bucket], *, now: int, levels: Iterable[Level] = LEVELS) -> dict[Place, Bucket]:
    """Points of the finest level, in the buckets of all levels that are kept."""
    added: dict[Place, Bucket] = {}
    for level in levels:
        for at in sorted(by_instant):
            start = level.start(at)
            if start + level.step > now - level.kept:
                add_to(added.setdefault((level.step, start), {}), by_instant[at])
    return added


def _points(at: int, row: Row) -> Iterator[tuple[int, str, Point]]:
    """What a row says, by instant and series."""
    own = Point()
    for queue, task, point in row.jobs:
        for name in names_of(queue, task):
            yield at, name, point
        for count in _OF_WORKERS:
            if number := point.counts.get(count):
                own.count(count, number)
    for arrival in row.arrivals:
        enqueued = Point({"enqueued": arrival.number})
        for name in names_of(arrival.queue, arrival.task):
            yield FINEST.start(min(arrival.at, at)), name, enqueued  # never ahead of the clock
    for schedule, point in row.schedules.items():
        yield at, series(SCHEDULE, schedule), point
    if own.counts:
        yield at, series(WORKER, row.worker), own


def names_of(queue: str, task: str) -> tuple[str, ...]:
    """The series that count a job."""
    return ALL, series(QUEUE, queue), series(TASK, task), pair(queue, task)
