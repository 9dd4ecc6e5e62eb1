"""The token bucket, as every store keeps it.

All is counted in whole numbers, so that no rounding ever makes a token: a token is ``period`` units, and each
millisecond brings ``amount`` units. The statements and scripts of the stores do the same sums.
"""

from __future__ import annotations

from msgspec import Struct

from windlass.core.rates.rate import Rate


class Bucket(Struct, frozen=True):
    """What is in a bucket, and until when it was filled."""

    rate: Rate
    level: int
    """In units."""
    filled_at: int
    """Milliseconds since 1970."""

    @property
    def tokens(self) -> int:
        """Whole tokens."""
        return self.level // self.rate.period

    def filled(self, now: int) -> Bucket:
        """The bucket at this instant. A clock that was set back adds nothing; it fills again from there on."""
        full = self.rate.burst * self.rate.period
        return Bucket(self.rate, min(full, self.level + self.rate.amount * max(0, now - self.filled_at)), now)

    def taken(self, tokens: int = 1) -> Bucket | None:
        """The bucket without these tokens; None where it has fewer."""
        left = self.level - tokens * self.rate.period
        return None if left < 0 else Bucket(self.rate, left, self.filled_at)

    def due_in(self, tokens: int = 1) -> int:
        """In how many milliseconds it has had these tokens, if others take none."""
        return max(0, -(-(tokens * self.rate.period - self.level) // self.rate.amount))


def full_bucket(rate: Rate, now: int) -> Bucket:
    """As a bucket begins."""
    return Bucket(rate, rate.burst * rate.period, now)
