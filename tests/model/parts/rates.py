"""The part of the model that is about rates of queues: every claim takes a token, and none is given back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from tests.model.parts.part import Part
from windlass.core.rates.bucket import Bucket, full_bucket
from windlass.core.rates.rate import Rate
from windlass.store.operations.cycle import RateState


class RateModel(Part):
    """The buckets of queues, and when each token was taken."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.buckets: dict[str, Bucket] = {}
        self.taken_at: defaultdict[str, list[int]] = defaultdict(list)
        """The instants since the rate was last set, or the clock went back."""

    def set_rate(self, queue: str, rate: Rate | None) -> None:
        """A bucket begins full. Whole tokens survive a change, as far as there is room for them."""
        bucket = self.buckets.get(queue)
        if bucket and bucket.rate == rate:
            return
        self.taken_at.pop(queue, None)
        self.buckets.pop(queue, None)
        if rate and bucket:
            self.buckets[queue] = Bucket(rate, min(rate.burst, bucket.tokens) * rate.period, bucket.filled_at)
        elif rate:
            self.buckets[queue] = full_bucket(rate, 0)

    def tokens(self, queue: str) -> int | None:
        """None where the queue has no rate."""
        return self.buckets[queue].filled(self._now()).tokens if queue in self.buckets else None

    def rate_state(self, queue: str) -> RateState:
        bucket = self.buckets[queue].filled(self._now())
        return RateState(queue, bucket.tokens, bucket.due_in())

    def ask_bucket(self, queue: str) -> None:
        """A claim was made: a clock that went back is noticed, and the bucket goes on from there."""
        if queue in self.buckets and self.buckets[queue].filled_at > self._now():
            self.buckets[queue] = self.buckets[queue].filled(self._now())
            self.taken_at.pop(queue, None)

    def spend(self, queue: str) -> None:
        if queue in self.buckets:
            left = self.buckets[queue].filled(self._now()).taken()
            assert left is not None, f"{queue} has no token"
            self.buckets[queue] = left
            self.note_taken(queue)

    def note_taken(self, name: str) -> None:
        """Keep when a token was taken."""
        if self.taken_at[name] and self.taken_at[name][-1] > self._now():
            self.taken_at[name].clear()
        self.taken_at[name].append(self._now())
