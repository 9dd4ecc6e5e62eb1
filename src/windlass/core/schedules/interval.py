"""Every so often, anchored, so that it never drifts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec import Struct

from windlass.core.units import duration
from windlass.errors import ConfigError, Duration

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SHORTEST = timedelta(seconds=1)
_LONGEST = timedelta(days=50 * 365)
"""As far ahead as a cron expression is looked at. The slots of an interval of thousands of years are not in any
calendar.
"""


class Interval(Struct, frozen=True):
    """Every so often, counted from the beginning of 1970 in UTC, so that it never drifts and all processes agree.

    >>> Interval.of("15m").next_after(datetime(2026, 1, 1, 10, 7, tzinfo=UTC))
    datetime.datetime(2026, 1, 1, 10, 15, tzinfo=datetime.timezone.utc)
    """

    period: timedelta

    @classmethod
    def of(cls, period: Duration) -> Interval:
        """``ConfigError`` for less than a second, and for more than 50 years."""
        length = duration(period, "every")
        if length < _SHORTEST:
            raise ConfigError(f"every must be at least one second, got {period!r}")
        if length > _LONGEST:
            raise ConfigError(f"every must be at most {_LONGEST.days:,} days, got {period!r}")
        return cls(length)

    def next_after(self, instant: datetime) -> datetime:
        """The first instant after this one, in UTC."""
        return _EPOCH + ((instant - _EPOCH) // self.period + 1) * self.period
