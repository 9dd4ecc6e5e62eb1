"""How long finished jobs are kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta

import msgspec
from msgspec import Struct

from windlass.core.state import State
from windlass.core.units import milliseconds
from windlass.core.validate import of_kind, whole_number
from windlass.errors import ConfigError, Duration

_FOR_EVER = 2**60
_KEPT_AT_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long finished jobs stay, by state; None keeps them. ``at_most`` bounds each state of each queue.

    >>> Retention(completed="1d", failed=None).completed
    datetime.timedelta(days=1)
    """

    completed: Duration | None = timedelta(days=7)
    cancelled: Duration | None = timedelta(days=7)
    failed: Duration | None = timedelta(days=30)
    at_most: int | None = _KEPT_AT_MOST

    def __post_init__(self) -> None:
        for name in ("completed", "cancelled", "failed"):
            value = getattr(self, name)
            if value is not None:
                length = timedelta(milliseconds=milliseconds(value, f"Retention: {name}"))
                if not length:
                    raise ConfigError(
                        f"Retention: {name}={value!r} may mean two things: None keeps {name} jobs for ever, '1s' "
                        "deletes them after a second"
                    )
                object.__setattr__(self, name, length)
        if self.at_most is not None:
            whole_number(self.at_most, "Retention: at_most", least=1)

    def age(self, state: State) -> int:
        """Milliseconds after which a job of this state may go."""
        value: Duration | None = getattr(self, state)
        return _FOR_EVER if value is None else milliseconds(value)


def retention_policy(setting: object) -> Retention:
    """What ``retention=`` was given, if it is a policy."""
    return of_kind(setting, Retention, "retention", example='Retention(completed="7d")')


class _Stored(Struct, frozen=True):
    completed: int | None
    cancelled: int | None
    failed: int | None
    at_most: int | None


def write_retention(retention: Retention) -> str:
    """A policy as it is stored with a queue, in milliseconds."""
    lengths = {
        name: milliseconds(value) if isinstance(value, timedelta) else value
        for name, value in asdict(retention).items()
    }
    return msgspec.json.encode(lengths).decode()


def read_retention(text: str | None) -> Retention | None:
    """The policy, or None where there is none or it cannot be read."""
    if text is None:
        return None
    try:
        stored = msgspec.json.decode(text, type=_Stored)
    except (msgspec.MsgspecError, ValueError):
        return None
    return Retention(
        completed=_length(stored.completed),
        cancelled=_length(stored.cancelled),
        failed=_length(stored.failed),
        at_most=stored.at_most,
    )


def _length(value: int | None) -> timedelta | None:
    return None if value is None else timedelta(milliseconds=value)
