"""Times in buckets: none is wider than 5 %, and percentiles are exact to one."""

from __future__ import annotations

from random import Random

import pytest

from windlass.core.figures.histogram import Histogram, bounds_of, bucket_of


def test_buckets_follow_each_other_without_a_gap() -> None:
    above = 0
    for bucket in range(1_100):
        least, next_least = bounds_of(bucket)
        assert least == above
        assert bucket_of(least) == bucket_of(next_least - 1) == bucket
        above = next_least
    assert above > 400 * 24 * 3_600_000


@pytest.mark.parametrize("time", [0, 1, 63, 64, 1_000, 59_999, 3_600_000, 400 * 24 * 3_600_000])
def test_no_bucket_is_wider_than_five_percent(time: int) -> None:
    """A14."""
    least, above = bounds_of(bucket_of(time))
    assert least <= time < above
    assert above - least <= max(1, 0.05 * least)


@pytest.mark.parametrize("percent", [50, 95, 99])
def test_percentiles_are_exact_to_a_bucket(percent: int) -> None:
    """A14: p50, p95, p99."""
    random = Random(7)
    times = [round(random.lognormvariate(6, 1.5)) for _ in range(2_000)]
    histogram = Histogram()
    for time in times:
        histogram.add(time)
    exact = sorted(times)[-(-len(times) * percent // 100) - 1]
    least, above = bounds_of(bucket_of(exact))
    assert least <= histogram.percentile(percent) < above
    assert (histogram.least, histogram.most, histogram.mean) == (min(times), max(times), sum(times) / len(times))


def test_merged_histograms_are_as_one() -> None:
    one, other, both = Histogram(), Histogram(), Histogram()
    for time in (5, 900, 70):
        one.add(time)
        both.add(time)
    for time in (1, 5, 80_000):
        other.add(time, 2)
        both.add(time, 2)
    one.merge(other)
    one.merge(Histogram())
    assert one == both
    empty = Histogram()
    empty.merge(one)
    assert empty == both


def test_a_time_below_zero_counts_as_none() -> None:
    histogram = Histogram()
    histogram.add(-5)
    assert (histogram.least, histogram.most, histogram.percentile(99)) == (0, 0, 0)


def test_how_many_took_at_most_so_long() -> None:
    histogram = Histogram()
    for time in (5, 10, 100, 10_000):
        histogram.add(time)
    assert [histogram.at_most(time) for time in (4, 5, 99, 1_000, 20_000)] == [0, 1, 2, 3, 4]
