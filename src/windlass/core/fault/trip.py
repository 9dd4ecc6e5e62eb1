"""When a task trips: failures of one cause that make its backlog wait."""

from __future__ import annotations

import msgspec

from windlass.core import validate
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration

_LONGEST = 86_400_000


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """From ``failures`` runs of one cause within a time on, the task cools down for ``rest``: its jobs wait, uncharged.

    >>> Trip(failures=50, within="1m", rest="10m")
    Trip(failures=50, within='1m', rest='10m')
    """

    failures: int = 20
    within: Duration = 60
    rest: Duration = 300

    @property
    def window(self) -> int:
        """``within`` in milliseconds."""
        return milliseconds(self.within, "trip: within")

    @property
    def length(self) -> int:
        """``rest`` in milliseconds."""
        return milliseconds(self.rest, "trip: rest")


def trip_rule(value: object) -> Trip:
    """A rule whose values are right, or ``ConfigError``."""
    rule = validate.of_kind(value, Trip, "trip", example="Trip(failures=20, within='1m', rest='5m')")
    validate.whole_number(rule.failures, "trip: failures", least=2, most=100_000)
    for name, length in (("within", rule.window), ("rest", rule.length)):
        if not 1000 <= length <= _LONGEST:
            raise ConfigError(f"trip: {name} must be from 1s to 1d, got {getattr(rule, name)!r}")
    return rule
