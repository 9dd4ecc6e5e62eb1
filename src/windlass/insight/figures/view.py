"""The figures of one step of time: counts, times with percentiles, depths, errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass import clock
from windlass.core.figures.histogram import Histogram
from windlass.core.figures.point import RUN, WAIT, Gauge, Point


@dataclass(frozen=True, slots=True)
class Times:
    """Lengths of time that were measured; percentiles are exact to 5 % or a millisecond."""

    count: int
    mean: timedelta
    min: timedelta
    max: timedelta
    p50: timedelta
    p95: timedelta
    p99: timedelta

    @classmethod
    def of(cls, times: Histogram) -> Times:
        shares = (times.percentile(percent) for percent in (50, 95, 99))
        return cls(times.count, *map(_length, (times.mean, times.least, times.most, *shares)))


@dataclass(frozen=True, slots=True)
class Level:
    """A value that was read now and then: how many live workers, how many bytes."""

    mean: float
    min: float
    max: float
    newest: float

    @classmethod
    def of(cls, gauge: Gauge) -> Level:
        return cls(gauge.mean, gauge.least, gauge.most, gauge.newest)


@dataclass(frozen=True, slots=True)
class FigurePoint:
    """The figures of one step of time, or of a whole range."""

    at: datetime
    """When it begins."""
    is_known: bool
    """False where nothing was watched or is no longer kept: then its numbers mean nothing."""
    counts: Mapping[str, int]
    """All counts by name; those that most readers want are properties. Of a schedule: on_time, late, caught_up,
    skipped, missed, buffered, error.
    """
    wait: Times | None
    """How long jobs could have been claimed before they were; None where none ran."""
    run: Times | None
    """How long user code ran."""
    levels: Mapping[str, Level]
    """Of a queue and of the app: depth, oldest (seconds). Of a worker: memory (bytes), cpu (percent of a processor),
    running; paused and draining where it was. Of the store: workers, busy, running, slots, latency (seconds), size,
    memory, max_memory (bytes), connections, evictions; release:NAME, how many workers ran that code.
    """
    errors: Mapping[str, int]
    """The commonest types of errors, and how often they came."""

    @property
    def enqueued(self) -> int:
        """Jobs that were enqueued then, as far as their first attempt has ended."""
        return self.counts.get("enqueued", 0)

    @property
    def completed(self) -> int:
        return self.counts.get("completed", 0)

    @property
    def failed(self) -> int:
        """Jobs that failed for good."""
        return self.counts.get("failed", 0)

    @property
    def retried(self) -> int:
        """Attempts that failed and are followed by another."""
        return self.counts.get("retried", 0)

    @property
    def cancelled(self) -> int:
        return self.counts.get("cancelled", 0)

    @property
    def recovered(self) -> int:
        """Jobs that completed after attempts that failed."""
        return self.counts.get("recovered", 0)

    @property
    def mean_attempts(self) -> float | None:
        """Attempts for each job that completed or failed."""
        ended = self.completed + self.failed
        return self.counts.get("attempts", 0) / ended if ended else None

    @property
    def mean_payload(self) -> float | None:
        """Characters of a payload, of up to 200 jobs of each worker in two seconds."""
        number = self.counts.get("payloads", 0)
        return self.counts.get("payload_bytes", 0) / number if number else None

    @property
    def depth(self) -> int | None:
        """The most jobs that were ready at once, as far as they were counted; None where they were not."""
        found = self.levels.get("depth")
        return None if found is None else round(found.max)


def all_counts(point: FigurePoint) -> dict[str, int]:
    """All counts by name, the usual ones also where they are zero; none where nothing is known."""
    known = dict.fromkeys(("enqueued", "completed", "failed", "retried"), 0) if point.is_known else {}
    return {**known, **point.counts}


def point_view(at: int, point: Point | None) -> FigurePoint:
    """A point as people see it; None for a step of which nothing is known."""
    found = Point() if point is None else point
    return FigurePoint(
        at=clock.instant(at),
        is_known=point is not None,
        counts=dict(found.counts),
        wait=_times(found, WAIT),
        run=_times(found, RUN),
        levels={name: Level.of(gauge) for name, gauge in found.gauges.items()},
        errors=dict(found.errors),
    )


def _times(point: Point, name: str) -> Times | None:
    times = point.times.get(name)
    return None if times is None or not times.count else Times.of(times)


def _length(milliseconds: float) -> timedelta:
    return timedelta(milliseconds=milliseconds)
