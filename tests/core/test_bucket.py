"""The token bucket: in any span of time no more than the rate brings, and the burst."""

from __future__ import annotations

from random import Random

import pytest

from windlass.core.rates.bucket import full_bucket
from windlass.core.rates.rate import Rate, read_rate


def test_a_bucket_begins_full_and_fills_by_the_rate() -> None:
    bucket = full_bucket(read_rate("30/min", burst=2), 0)
    assert (bucket.tokens, bucket.due_in(3)) == (2, 2000)
    empty = bucket.taken(2)
    assert empty is not None
    assert (empty.taken(), empty.due_in(), empty.due_in(2)) == (None, 2000, 4000)
    assert (empty.filled(1999).tokens, empty.filled(2000).tokens, empty.filled(10**12).tokens) == (0, 1, 2)


def test_a_clock_that_goes_back_brings_nothing_and_loses_nothing() -> None:
    bucket = full_bucket(read_rate("1/s", burst=2), 10_000).taken(2)
    assert bucket is not None
    back = bucket.filled(4000)
    assert (back.level, back.filled_at) == (0, 4000)
    assert back.filled(5000).tokens == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_holds_for_every_span(seed: int) -> None:
    """C6: never more than rate × time + burst, whatever the rate and whenever tokens are asked for."""
    random = Random(seed)
    rate = Rate(random.randint(1, 50), random.choice([7, 100, 1000, 60_000]), random.randint(1, 20))
    bucket, now, taken = full_bucket(rate, 0), 0, []
    for _ in range(400):
        now += random.choice([0, 0, 1, 3, random.randint(0, 5 * rate.period)])
        bucket = bucket.filled(now)
        after = bucket.taken()
        assert (after is None) is (bucket.due_in() > 0)
        if after is not None:
            bucket = after
            taken.append(now)
        elif random.random() < 0.2:
            assert bucket.filled(now + bucket.due_in()).taken() is not None
            assert bucket.filled(now + bucket.due_in() - 1).taken() is None
    assert taken
    for first, begin in enumerate(taken):
        for last in range(first, len(taken)):
            assert (last - first + 1 - rate.burst) * rate.period <= rate.amount * (taken[last] - begin)
