"""Numbers drawn from samples. Imports nothing of Windlass, so that peers can use it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

Figures = dict[str, float]
"""What one round gave, by name."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The rounds of one figure."""

    median: float
    least: float
    most: float
    rounds: int


def summary(values: Sequence[float]) -> Summary:
    """The median of the rounds and how far they lie apart."""
    return Summary(statistics.median(values), min(values), max(values), len(values))


def percentile(samples: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest sample that ``share`` of all samples do not exceed.

    >>> percentile([4, 1, 3, 2], 0.5)
    2
    """
    if not samples:
        raise ValueError("no samples: nothing was measured")
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def delays(nanoseconds: Sequence[float]) -> Figures:
    """p50, p99 and the worst of many delays, in milliseconds."""
    return {
        "p50_ms": percentile(nanoseconds, 0.50) / 1e6,
        "p99_ms": percentile(nanoseconds, 0.99) / 1e6,
        "worst_ms": max(nanoseconds) / 1e6,
        "samples": len(nanoseconds),
    }
