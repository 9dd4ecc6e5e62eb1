"""The figures of one series in one bucket of time."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from windlass.core.figures.histogram import Histogram

WAIT, RUN = "wait", "run"
"""The times: until a worker claims a job, from when it could have been claimed; and how long user code runs."""

ERRORS_KEPT = 10
"""How many types of errors a point tells apart."""
OTHER = "other"
"""What has no room of its own."""


class Gauge(Struct, array_like=True):
    """A value that was read now and then."""

    count: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0
    newest: float = 0.0

    @classmethod
    def of(cls, value: float) -> Gauge:
        return cls(1, value, value, value, value)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def merge(self, later: Gauge) -> None:
        """Add the values of another that was read later."""
        if not later.count:
            return
        self.least = min(self.least, later.least) if self.count else later.least
        self.most = max(self.most, later.most) if self.count else later.most
        self.count += later.count
        self.total += later.total
        self.newest = later.newest


class Point(Struct, array_like=True):
    """Counts by name, times, gauges by name, and the commonest errors."""

    counts: dict[str, int] = field(default_factory=dict)
    times: dict[str, Histogram] = field(default_factory=dict)
    gauges: dict[str, Gauge] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, number: int = 1) -> None:
        """Add to a count."""
        self.counts[name] = self.counts.get(name, 0) + number

    def time(self, name: str, milliseconds: int, number: int = 1) -> None:
        """Add a time that was measured so often."""
        if name not in self.times:
            self.times[name] = Histogram()
        self.times[name].add(milliseconds, number)

    def merge(self, later: Point) -> None:
        """Add everything of another."""
        for name, number in later.counts.items():
            self.count(name, number)
        for name, times in later.times.items():
            if name not in self.times:
                self.times[name] = Histogram()
            self.times[name].merge(times)
        for name, gauge in later.gauges.items():
            if name not in self.gauges:
                self.gauges[name] = Gauge()
            self.gauges[name].merge(gauge)
        if later.errors:
            self.errors = commonest(self.errors, later.errors)


def commonest(errors: Mapping[str, int], more: Mapping[str, int], *, kept: int = ERRORS_KEPT) -> dict[str, int]:
    """Both together; of many the rarest go into ``other``.

    >>> commonest({"A": 5, "B": 1}, {"C": 2, "A": 1}, kept=2)
    {'A': 6, 'C': 2, 'other': 1}
    """
    both = dict(errors)
    for name, number in more.items():
        both[name] = both.get(name, 0) + number
    rest = both.pop(OTHER, 0)
    ranked = sorted(both.items(), key=lambda error: (-error[1], error[0]))
    rest += sum(number for _, number in ranked[kept:])
    return dict(ranked[:kept]) | ({OTHER: rest} if rest else {})
