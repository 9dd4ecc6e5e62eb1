"""How often which time was measured, in buckets of at most 5 %."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

_BITS = 5
"""Each doubling has 2 to the power of this many buckets, so the widest is 3.2 % of its lower bound."""
_EXACT = 2 << _BITS
"""Below so many milliseconds each has a bucket of its own."""


def bucket_of(milliseconds: int) -> int:
    """The number of the bucket of a time; below zero counts as none.

    >>> [bucket_of(each) for each in (-1, 0, 63, 64, 65, 66, 128)]
    [0, 0, 63, 64, 64, 65, 96]
    """
    if milliseconds < _EXACT:
        return max(0, milliseconds)
    shift = milliseconds.bit_length() - _BITS - 1
    return (shift << _BITS) + (milliseconds >> shift)


def bounds_of(bucket: int) -> tuple[int, int]:
    """The least time of a bucket, and the least above it, in milliseconds.

    >>> bounds_of(63), bounds_of(64), bounds_of(96)
    ((63, 64), (64, 66), (128, 132))
    """
    if bucket < _EXACT:
        return bucket, bucket + 1
    shift = (bucket >> _BITS) - 1
    least = (bucket - (shift << _BITS)) << shift
    return least, least + (1 << shift)


class Histogram(Struct, array_like=True):
    """Times in milliseconds."""

    count: int = 0
    total: int = 0
    least: int = 0
    most: int = 0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, milliseconds: int, number: int = 1) -> None:
        """Add a time that was measured so often."""
        time = max(0, milliseconds)
        self.least = min(self.least, time) if self.count else time
        self.most = max(self.most, time)
        self.count += number
        self.total += time * number
        bucket = bucket_of(time)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + number

    def merge(self, other: Histogram) -> None:
        """Add all times of another."""
        if not other.count:
            return
        self.least = min(self.least, other.least) if self.count else other.least
        self.most = max(self.most, other.most)
        self.count += other.count
        self.total += other.total
        add_counts(self.buckets, other.buckets)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """The time that so many of a hundred did not exceed: the middle of its bucket, within what was measured.

        >>> times = Histogram()
        >>> for each in (10, 20, 30, 1000):
        ...     times.add(each)
        >>> times.percentile(50), times.percentile(99)
        (20.0, 999.5)
        """
        place = self.count * percent / 100
        seen = 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= place:
                least, above = bounds_of(bucket)
                return float(min(max((least + above - 1) / 2, self.least), self.most))
        return float(self.most)

    def at_most(self, milliseconds: int) -> int:
        """How many of the times are in buckets that end at this time or before."""
        return sum(number for bucket, number in self.buckets.items() if bounds_of(bucket)[1] - 1 <= milliseconds)


def add_counts(counts: dict[int, int], more: Mapping[int, int]) -> None:
    """Add numbers by their keys."""
    for key, number in more.items():
        counts[key] = counts.get(key, 0) + number


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """All times of several."""
    whole = Histogram()
    for one in histograms:
        whole.merge(one)
    return whole
