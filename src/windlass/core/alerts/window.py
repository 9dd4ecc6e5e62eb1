"""What was measured in a window of time, of the app or of one of its queues or tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from windlass.core.alerts.expression import Reading
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.histogram import Histogram, merged
from windlass.core.figures.levels import LEVELS, Level
from windlass.core.figures.point import RUN, WAIT, Gauge, Point
from windlass.core.figures.series import ALL, QUEUE, SCHEDULE, STORE, TASK, name_in

FEW_RUNS = 20
"""An error rate is a share of at least so many runs; a percentile of fewer runs counts as 0."""
_MANY_RUNS = 100
"""From so many runs on there is a baseline of run times."""
_KNOWN_FOR = 300_000
"""For so many milliseconds an app has to have been watched before it has a baseline."""

WATCHED = (QUEUE, TASK)
"""The kinds of subjects that a rule may be about one by one."""


class Span(Struct, frozen=True):
    """Which buckets a window consists of."""

    level: Level
    first: int
    last: int

    @classmethod
    def of(cls, window: int, now: int) -> Span:
        """The level with at most some dozens of buckets; what begins before the window is counted whole."""
        level = LEVELS[0] if window < 300_000 else LEVELS[1] if window < 7_200_000 else LEVELS[2]
        return cls(level, level.start(now - window), level.start(now))


class BucketBaseline(Struct, frozen=True):
    """What a baseline needs of one bucket: of each series the jobs completed, the runs, and their p99."""

    length: int
    series: Mapping[str, tuple[int, int, float]]

    @classmethod
    def of(cls, bucket: Bucket, length: int) -> BucketBaseline:
        return cls(
            length,
            {
                name: (point.counts.get("completed", 0), *_run_times(point))
                for name, point in bucket.items()
                if name == ALL or any(name_in(kind, name) is not None for kind in WATCHED)
            },
        )


class Baseline:
    """What is usual: throughput and run times of the day before."""

    def __init__(self, buckets: Iterable[BucketBaseline] = ()) -> None:
        found = list(buckets)
        self._known_for = sum(bucket.length for bucket in found)
        self._series: dict[str, list[tuple[int, int, float]]] = {}
        for bucket in found:
            for name, said in bucket.series.items():
                self._series.setdefault(name, []).append(said)

    def throughput(self, subject: str) -> float | None:
        if self._known_for < _KNOWN_FOR:
            return None
        return sum(completed for completed, _, _ in self._series.get(subject, ())) / self._known_for * 1000

    def run_p99(self, subject: str) -> float | None:
        """The middle one of what it was in each bucket, where each counts as often as it has runs: an hour that was
        out of the ordinary does not change it.
        """
        said = sorted((p99, runs) for _, runs, p99 in self._series.get(subject, ()) if runs)
        total = sum(runs for _, runs in said)
        if total < _MANY_RUNS:
            return None
        seen = 0
        for p99, runs in said:
            seen += runs
            if seen * 2 >= total:
                return p99
        return None


class Window:
    """The buckets of a window, by when they begin."""

    def __init__(self, buckets: Mapping[int, Bucket], *, span: Span, length: int, now: int, baseline: Baseline) -> None:
        self._buckets = sorted(buckets.items())
        self._step = span.level.step
        self._middle = now - length / 2
        self._now = now
        self._baseline = baseline

    def subjects(self, kind: str) -> list[str]:
        """The queues or tasks of which anything was seen, as names of series."""
        return sorted({name for _, bucket in self._buckets for name in bucket if name_in(kind, name) is not None})

    def read(self, subject: str) -> Callable[[str], Reading | None]:
        """Gives the readings of one subject: ``all``, ``queue:mail``, ``task:shop.pay``."""
        points = [point for _, bucket in self._buckets if (point := bucket.get(subject)) is not None]

        def reading(measure: str) -> Reading | None:
            if measure in _COUNTED:
                return Reading.of(_COUNTED[measure](points))
            return self._level(measure, subject)

        return reading

    def _level(self, measure: str, subject: str) -> Reading | None:
        match measure:
            case "queue_depth":
                return self._waiting("depth", subject)
            case "oldest_age":
                return self._waiting("oldest", subject)
            case "throughput":
                return self._throughput(subject)
            case "throughput_baseline":
                return _known(self._baseline.throughput(subject))
            case "run_p99_baseline":
                return _known(self._baseline.run_p99(subject))
            case "fires" | "missed_fires" | "missed_share":
                return Reading.of(self._fires(measure))
            case "evictions":
                return Reading.of(_increase(self._gauges(STORE, "evictions")))
            case "workers":
                return self._gauge("working")
            case "clock_skew":
                return self._gauge("skew")
            case "store_size":
                return self._gauge("size")
            case "workers_in_time":
                return _share(self._gauge("working"), self._gauge("missing"))
            case "memory_share":
                return _part(self._gauge("memory"), self._gauge("max_memory"))
            case _:
                raise NotImplementedError(f"the measure {measure!r} is read from no figure")

    def _gauge(self, name: str, subject: str = STORE) -> Reading | None:
        """A level that was read in the window; None where it was not in its first half: then it may be shorter."""
        if not any(at <= self._middle for at, bucket in self._buckets if name in _gauges_of(bucket, subject)):
            return None
        return _reading(self._gauges(subject, name))

    def _waiting(self, name: str, subject: str) -> Reading | None:
        """Depth or age: a queue that was not seen while depths were counted had no job that waits."""
        whole = self._gauge(name, ALL)
        if whole is None or subject == ALL:
            return whole
        found = _reading(self._gauges(subject, name))
        counted = sum(gauge.count for gauge in self._gauges(ALL, name))
        if found is None:
            return Reading.of(0.0)
        is_whole = sum(gauge.count for gauge in self._gauges(subject, name)) >= counted
        newest_at = [at for at, bucket in self._buckets if name in _gauges_of(bucket, ALL)][-1]
        is_newest = name in _gauges_of(dict(self._buckets)[newest_at], subject)
        return Reading(found.least if is_whole else 0.0, found.most, found.newest if is_newest else 0.0)

    def _throughput(self, subject: str) -> Reading | None:
        if not any(at <= self._middle for at, _ in self._buckets):
            return None
        seconds = sum(min(self._step, self._now - at) for at, _ in self._buckets) / 1000
        points = [bucket[subject] for _, bucket in self._buckets if subject in bucket]
        return Reading.of(_sum(points, "completed") / seconds) if seconds > 0 else None

    def _fires(self, measure: str) -> float:
        points = [point for _, bucket in self._buckets for name, point in bucket.items() if name_in(SCHEDULE, name)]
        fires, missed = sum(sum(point.counts.values()) for point in points), _sum(points, "missed")
        if measure == "fires":
            return fires
        return missed if measure == "missed_fires" else missed / fires if fires else 0.0

    def _gauges(self, subject: str, name: str) -> list[Gauge]:
        return list(_found(_gauges_of(bucket, subject).get(name) for _, bucket in self._buckets))


def _gauges_of(bucket: Bucket, subject: str) -> Mapping[str, Gauge]:
    point = bucket.get(subject)
    return {} if point is None else point.gauges


def _found(gauges: Iterable[Gauge | None]) -> Iterator[Gauge]:
    return (gauge for gauge in gauges if gauge is not None and gauge.count)


def _reading(gauges: Sequence[Gauge]) -> Reading | None:
    if not gauges:
        return None
    return Reading(min(one.least for one in gauges), max(one.most for one in gauges), gauges[-1].newest)


def _known(value: float | None) -> Reading | None:
    return None if value is None else Reading.of(value)


def _share(part: Reading | None, rest: Reading | None) -> Reading | None:
    """A part of itself and a rest; all of it where there is neither."""
    if part is None or rest is None:
        return None
    least = part.least / (part.least + rest.most) if part.least + rest.most else 1.0
    most = part.most / (part.most + rest.least) if part.most + rest.least else 1.0
    newest = part.newest / (part.newest + rest.newest) if part.newest + rest.newest else 1.0
    return Reading(least, most, newest)


def _part(part: Reading | None, whole: Reading | None) -> Reading | None:
    """A part of a whole that hardly changes; None where there is no bound."""
    return None if part is None or whole is None or not whole.newest else part.times(1 / whole.newest)


def _increase(gauges: Sequence[Gauge]) -> float:
    """By how much a number that only grows has grown; it begins again where its server does."""
    grown, before = 0.0, None
    for gauge in gauges:
        if before is not None and gauge.least > before:
            grown += gauge.least - before
        if gauge.newest >= gauge.most:
            grown += gauge.most - gauge.least
        before = gauge.newest
    return grown


def _sum(points: Iterable[Point], count: str) -> int:
    return sum(point.counts.get(count, 0) for point in points)


def _times(points: Iterable[Point], name: str) -> Histogram:
    return merged(times for point in points if (times := point.times.get(name)) is not None)


def _run_times(point: Point) -> tuple[int, float]:
    times = point.times.get(RUN)
    return (0, 0.0) if times is None else (times.count, times.percentile(99) / 1000)


def _p99(name: str) -> Callable[[Sequence[Point]], float]:
    def read(points: Sequence[Point]) -> float:
        times = _times(points, name)
        return times.percentile(99) / 1000 if times.count >= FEW_RUNS else 0.0

    return read


def _errors(points: Sequence[Point]) -> int:
    return _sum(points, "failed") + _sum(points, "retried")


def _unmuted(points: Sequence[Point], *names: str) -> int:
    """Those failures whose cause no operator has muted."""
    return sum(_sum(points, name) - _sum(points, f"{name}_muted") for name in names)


def _runs(points: Sequence[Point]) -> int:
    return _sum(points, "completed") + _errors(points)


_COUNTED: Mapping[str, Callable[[Sequence[Point]], float]] = {
    "runs": _runs,
    "error_rate": lambda points: _unmuted(points, "failed", "retried") / max(_runs(points), FEW_RUNS),
    "dead_letters": lambda points: _unmuted(points, "failed"),
    "refused_enqueues": lambda points: _sum(points, "refused"),
    "run_p99": _p99(RUN),
    "wait_p99": _p99(WAIT),
}
