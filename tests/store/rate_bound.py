"""What a rate promises."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.core.rates.rate import Rate


def assert_within(rate: Rate, claims: Iterable[int]) -> None:
    """In no span of time there are more of these instants than rate × time + burst."""
    seen = sorted(claims)
    for first, begin in enumerate(seen):
        for last in range(first, len(seen)):
            assert (last - first + 1 - rate.burst) * rate.period <= rate.amount * (seen[last] - begin)
