"""How long a cool-down lasts."""

from __future__ import annotations

import msgspec

from windlass.core import validate
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration

QUIET = 120_000
"""Milliseconds without a new cool-down after which the next one is shorter."""
FLAT = 60_000
SHORTEST = 1_000
"""Milliseconds; an upstream that asks for less, as by "Retry-After: 0", would be called again at once and for ever."""


class Cooldown(msgspec.Struct, frozen=True, kw_only=True):
    """How long a queue rests after ``Throttled``: ``base``, twice as long each time it comes again, at most ``max``.

    After two quiet minutes the next one is not longer but half as long, and halves again for every two minutes more.
    With ``enabled=False`` it is always 60 s. A task that says ``Throttled(retry_after=...)`` decides by itself.

    >>> Cooldown(base="10s", max="5m")
    Cooldown(enabled=True, base='10s', max='5m')
    """

    enabled: bool = True
    base: Duration = 60
    max: Duration = 1800

    @property
    def shortest(self) -> int:
        """In milliseconds."""
        return milliseconds(self.base, "cooldown: base") if self.enabled else FLAT

    @property
    def longest(self) -> int:
        """In milliseconds."""
        return milliseconds(self.max, "cooldown: max") if self.enabled else FLAT


DEFAULT = Cooldown()


def cooldown_rule(value: object) -> Cooldown:
    """A rule whose values are right, or ``ConfigError``."""
    rule = validate.of_kind(value, Cooldown, "cooldown", example="Cooldown(base=60, max=1800)")
    validate.flag(rule.enabled, "cooldown: enabled")
    if not SHORTEST <= rule.shortest <= rule.longest:
        raise ConfigError(
            f"cooldown: base must be at least 1 s and not longer than max, got base={rule.base!r}, max={rule.max!r}"
        )
    return rule


def next_step(last: int | None, *, quiet: int, base: int, most: int) -> int:
    """How long the next cool-down lasts, in milliseconds: ``last`` is the length of the one before, ``quiet`` the time
    since its end. The stores do the same sum.

    >>> [next_step(240_000, quiet=quiet, base=60_000, most=1_800_000) for quiet in (0, 120_000, 240_000, 360_000)]
    [480000, 120000, 60000, 60000]
    """
    if last is None:
        return min(base, most)
    step = 2 * last if quiet < QUIET else last >> min(quiet // QUIET, 40)
    return min(most, max(base, step))


def write_cooldown(rule: Cooldown) -> str:
    """A rule as text for the store."""
    return msgspec.json.encode([rule.enabled, rule.shortest, rule.longest]).decode()


def read_cooldown(text: str | None) -> Cooldown | None:
    """A stored rule; None where there is none, or it cannot be read."""
    if text is None:
        return None
    try:
        enabled, base, longest = msgspec.json.decode(text, type=tuple[bool, int, int])
    except msgspec.DecodeError:
        return None
    return Cooldown(enabled=enabled, base=base / 1000, max=longest / 1000)
