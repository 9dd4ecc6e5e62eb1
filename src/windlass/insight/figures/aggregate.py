"""One number of each measure: the mean, the sum, or what 95 or 99 of 100 do not exceed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.errors import ConfigError
from windlass.insight.figures.view import FigurePoint, Times, all_counts

AGGREGATES = ("avg", "sum", "p95", "p99")
_SAMPLED = ("payloads", "payload_bytes")
"""Counts of some jobs only: they give a mean, and no sum."""
_NOT_RATES = ("attempts", *_SAMPLED)

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What a range of figures comes to, in seconds, numbers per second, numbers, or the unit of a level.

    Times are aggregated over jobs, and levels over what was read. Counts have a mean (``completed_per_second``) and a
    sum (``completed``); in ``total`` a percentile of counts and levels is over the steps: the rate, or the mean level,
    that 95 of 100 steps do not exceed. A gap has no values.
    """

    aggregate: str
    points: Sequence[Values]
    """One for each step."""
    total: Values
    by: Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class Span:
    """Over what is aggregated: the points of a range, of which the last has only begun."""

    points: Sequence[FigurePoint]
    step: timedelta
    until: datetime

    def seconds(self, point: FigurePoint) -> float:
        """How much of its step has passed."""
        return min(self.step, self.until - point.at).total_seconds()

    @property
    def known(self) -> list[FigurePoint]:
        return [point for point in self.points if point.is_known]


def aggregated(span: Span, total: FigurePoint, by: Mapping[str, FigurePoint], aggregate: str) -> Aggregated:
    """Aggregate every step, all steps together, and each name; ``ConfigError`` for an aggregate that there is not."""
    if aggregate not in AGGREGATES:
        raise ConfigError(f"figures: aggregate must be one of {', '.join(AGGREGATES)}, got {aggregate!r}")
    watched = sum(span.seconds(point) for point in span.known)
    whole = _values(total, aggregate, watched)
    if aggregate.startswith("p"):
        whole |= _over_steps(span, int(aggregate[1:]))
    return Aggregated(
        aggregate,
        [_values(point, aggregate, span.seconds(point)) if point.is_known else {} for point in span.points],
        whole,
        {name: _values(point, aggregate, watched) for name, point in by.items()},
    )


def _values(point: FigurePoint, aggregate: str, seconds: float) -> dict[str, float]:
    values = {
        f"{name}_seconds": _of_times(times, aggregate)
        for name, times in (("wait", point.wait), ("run", point.run))
        if times is not None
    }
    if aggregate == "sum":
        values |= {name: float(number) for name, number in all_counts(point).items() if name not in _SAMPLED}
    if aggregate == "avg":
        means = {"attempts": point.mean_attempts, "payload_bytes": point.mean_payload}
        values |= {name: mean for name, mean in means.items() if mean is not None}
        values |= {name: level.mean for name, level in point.levels.items()}
        values |= _rates(point, seconds)
    return values


def _of_times(times: Times, aggregate: str) -> float:
    match aggregate:
        case "avg":
            return times.mean.total_seconds()
        case "sum":
            return times.mean.total_seconds() * times.count
        case "p95":
            return times.p95.total_seconds()
        case _:
            return times.p99.total_seconds()


def _rates(point: FigurePoint, seconds: float) -> dict[str, float]:
    if seconds <= 0:
        return {}
    return {
        f"{name}_per_second": number / seconds for name, number in all_counts(point).items() if name not in _NOT_RATES
    }


def _over_steps(span: Span, percent: int) -> dict[str, float]:
    """Percentiles of rates and levels; a step that counted nothing counts as a rate of zero."""
    rates = [_rates(point, span.seconds(point)) for point in span.known if span.seconds(point) > 0]
    levels = [{name: level.mean for name, level in point.levels.items()} for point in span.known]
    counted = sorted({name for rate in rates for name in rate})
    read = sorted({name for level in levels for name in level})
    found = {name: percentile([rate.get(name, 0.0) for rate in rates], percent) for name in counted}
    return found | {name: percentile([level[name] for level in levels if name in level], percent) for name in read}


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many of a hundred do not exceed: one of the values.

    >>> percentile([3.0, 1.0, 2.0], 95), percentile([float(each) for each in range(1, 101)], 95)
    (3.0, 95.0)
    """
    return sorted(values)[-(-len(values) * percent // 100) - 1]
