"""The lengths of buckets, and for how long each is kept."""

from __future__ import annotations

from msgspec import Struct

_SECOND = 1_000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


class Level(Struct, frozen=True):
    """Buckets of one length. All times are milliseconds."""

    step: int
    kept: int

    def start(self, at: int) -> int:
        """When the bucket of an instant begins."""
        return at - at % self.step


LEVELS = (
    Level(10 * _SECOND, 6 * _HOUR),
    Level(_MINUTE, 7 * _DAY),
    Level(_HOUR, 90 * _DAY),
    Level(_DAY, 400 * _DAY),
)
FINEST = LEVELS[0]


def level_for(step: int) -> Level | None:
    """The level whose buckets make up steps of this length with the fewest reads; None where none does.

    >>> [level.step for step in (10_000, 30_000, 300_000, 7_200_000) if (level := level_for(step))]
    [10000, 10000, 60000, 3600000]
    """
    return next((level for level in reversed(LEVELS) if step >= level.step and step % level.step == 0), None)


def step_for(length: int, *, points: int = 360) -> int:
    """The step by which a range of this length has at most so many points.

    >>> [step_for(each) // 1000 for each in (3_600_000, 6 * 3_600_000, 7 * 86_400_000, 400 * 86_400_000)]
    [10, 60, 3600, 86400]
    """
    for level in LEVELS:
        if length <= level.kept and length / level.step <= points:
            return level.step
    return LEVELS[-1].step * -(-length // (LEVELS[-1].step * points * 2))
