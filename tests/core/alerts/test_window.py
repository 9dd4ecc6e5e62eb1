"""window: what the figures of a window say, measure by measure."""

from __future__ import annotations

import pytest

from windlass.core.alerts.expression import Reading
from windlass.core.alerts.measures import MEASURES
from windlass.core.alerts.window import Baseline, BucketBaseline, Span, Window
from windlass.core.figures.bucket import Bucket
from windlass.core.figures.point import RUN, WAIT, Gauge, Point

NOW = 1_800_000_000_000
MINUTE = 60_000
LENGTH = 5 * MINUTE


def point(counts: dict[str, int] | None = None, *, run: int = 0, runs: int = 0, **gauges: float) -> Point:
    made = Point(dict(counts or {}), gauges={name: Gauge.of(value) for name, value in gauges.items()})
    if runs:
        made.time(RUN, run, runs)
        made.time(WAIT, run * 2, runs)
    return made


def window(*buckets: Bucket, baseline: Baseline | None = None, gone: int = 0) -> Window:
    """The newest buckets of five minutes, the last of them the present one."""
    span = Span.of(LENGTH, NOW)
    first = span.last - (len(buckets) - 1) * MINUTE
    given = {first + place * MINUTE: bucket for place, bucket in enumerate(buckets)}
    return Window(given, span=span, length=LENGTH, now=NOW, baseline=baseline or Baseline())


def read(measure: str, subject: str, *buckets: Bucket, baseline: Baseline | None = None) -> Reading | None:
    return window(*buckets, baseline=baseline).read(subject)(measure)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("runs", 40),
        ("error_rate", 0.25),
        ("dead_letters", 2),
        ("refused_enqueues", 3),
        ("run_p99", 1.008),
        ("wait_p99", 2.016),
    ],
)
def test_counts_of_a_window_are_added(measure: str, value: float) -> None:
    jobs = point({"completed": 15, "failed": 1, "retried": 4, "refused": 1}, run=1000, runs=20)
    other = point({"completed": 15, "failed": 1, "retried": 4, "refused": 2}, run=1000, runs=20)
    found = read(measure, "queue:mail", {"queue:mail": jobs}, {"queue:mail": other})
    assert found is not None
    assert found.newest == pytest.approx(value, rel=0.05)
    assert found.least == found.most


def test_few_runs_say_little() -> None:
    jobs = {"task:pay": point({"failed": 1}, run=9000, runs=1)}
    assert read("error_rate", "task:pay", jobs) == Reading.of(0.05)
    assert read("run_p99", "task:pay", jobs) == Reading.of(0.0)
    assert read("error_rate", "task:other", jobs) == Reading.of(0.0)


def test_a_level_is_all_between_its_least_and_its_most() -> None:
    depths = [{"all": point(depth=depth, oldest=depth / 10)} for depth in (500, 100, 300, 200, 400, 250)]
    assert read("queue_depth", "all", *depths) == Reading(100, 500, 250)
    assert read("oldest_age", "all", *depths) == Reading(10, 50, 25)


def test_a_queue_that_was_not_seen_had_nothing_that_waits() -> None:
    full: Bucket = {"all": point(depth=9), "queue:mail": point(depth=5)}
    empty: Bucket = {"all": point(depth=4)}
    assert read("queue_depth", "queue:mail", *[full] * 6) == Reading(5, 5, 5)
    assert read("queue_depth", "queue:mail", *[full] * 5, empty) == Reading(0, 5, 0)
    assert read("queue_depth", "queue:other", *[full] * 6) == Reading.of(0)


def test_a_level_that_was_read_in_half_of_the_window_is_not_known() -> None:
    """An app that has just begun fires nothing."""
    seen: Bucket = {"all": point({"completed": 1}, depth=5), "store": point(working=1, missing=0)}
    assert read("queue_depth", "all", *[seen] * 2) is None
    assert read("workers", "all", *[seen] * 2) is None
    assert read("throughput", "all", *[seen] * 2) is None
    assert read("queue_depth", "all", *[seen] * 4) is not None


def test_throughput_is_by_the_time_that_was_watched() -> None:
    found = read("throughput", "all", *[{"all": point({"completed": 120})}] * 6)
    assert found is not None
    assert found.newest == pytest.approx(720 / 300, rel=0.01)


def test_levels_of_the_store() -> None:
    store = [
        {"store": point(working=w, missing=m, memory=85, max_memory=100, size=7, skew=2.5)}
        for w, m in [(8, 2)] * 5 + [(9, 1)]
    ]
    assert read("workers", "queue:mail", *store) == Reading(8, 9, 9)
    assert read("workers_in_time", "all", *store) == Reading(0.8, 0.9, 0.9)
    assert read("store_size", "all", *store) == Reading.of(7)
    assert read("clock_skew", "all", *store) == Reading.of(2.5)
    found = read("memory_share", "all", *store)
    assert found is not None
    assert found.newest == pytest.approx(0.85)
    assert read("memory_share", "all", *[{"store": point(memory=85, max_memory=0)}] * 6) is None


def test_evictions_are_what_was_added_also_over_a_restart() -> None:
    levels = [{"store": point(evictions=number)} for number in (10, 10, 14, 0, 1, 1)]
    assert read("evictions", "all", *levels) == Reading.of(5)
    assert read("evictions", "all", *[{"store": point(size=1)}] * 6) == Reading.of(0)


def test_missed_fires_of_all_schedules() -> None:
    fires: Bucket = {"schedule:a": point({"on_time": 6, "missed": 1}), "schedule:b": point({"late": 3})}
    assert read("fires", "all", fires) == Reading.of(10)
    assert read("missed_fires", "all", fires) == Reading.of(1)
    assert read("missed_share", "all", fires) == Reading.of(0.1)
    assert read("missed_share", "all", {}) == Reading.of(0.0)


def test_what_is_usual_is_the_middle_of_the_day_before() -> None:
    usual = BucketBaseline.of({"task:pay": point({"completed": 3600}, run=100, runs=3600)}, 60 * MINUTE)
    odd = BucketBaseline.of({"task:pay": point({"completed": 360}, run=9000, runs=360)}, 60 * MINUTE)
    baseline = Baseline([usual, odd, usual])
    assert baseline.throughput("task:pay") == pytest.approx(0.7)
    assert baseline.run_p99("task:pay") == pytest.approx(0.1, rel=0.05)
    assert baseline.run_p99("task:other") is None
    assert baseline.throughput("task:other") == 0.0
    assert read("run_p99_baseline", "task:pay", baseline=baseline) == Reading.of(baseline.run_p99("task:pay") or 0)
    assert read("throughput_baseline", "task:pay", baseline=Baseline()) is None


def test_every_measure_can_be_read() -> None:
    bucket: Bucket = {
        "all": point({"completed": 1}, depth=1, oldest=1),
        "store": point(working=1, missing=0, skew=0, size=1),
    }
    found = window(*[bucket] * 6).read("all")
    unknown = {name for name in MEASURES if found(name) is None}
    assert unknown == {"throughput_baseline", "run_p99_baseline", "memory_share"}


def test_subjects_are_what_was_seen() -> None:
    seen = window({"queue:b": point(), "task:t": point()}, {"queue:a": point(), "all": point()})
    assert (seen.subjects("queue"), seen.subjects("task")) == (["queue:a", "queue:b"], ["task:t"])
