"""The settings of a queue: what code may declare and operators may change, and how stores keep it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict, Unpack

import msgspec

from windlass import clock
from windlass.core import validate
from windlass.core.rates.cooldown import Cooldown, cooldown_rule, read_cooldown, write_cooldown
from windlass.core.rates.rate import read_rate, stored_rate, write_rate
from windlass.core.retry import Retry, read_retry, retry_rule, write_retry
from windlass.errors import ConfigError
from windlass.options import UNSET, check_known
from windlass.retention import Retention, read_retention, retention_policy, write_retention
from windlass.store.operations.queues import QueueRecord, QueueSeed


class QueueOptions(TypedDict, total=False):
    """The keywords of ``app.queue(...)`` and ``queue.configure(...)``."""

    weight: int | None
    max_length: int | None
    max_running: int | None
    retention: Retention | None
    retry: Retry | None
    cooldown: Cooldown | None
    rate: str | None
    burst: int | None


@dataclass(frozen=True, slots=True)
class SettingChange:
    """When an operator changed a setting, and who it was."""

    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What is set for a queue; None means the default."""

    weight: int | None
    max_length: int | None
    max_running: int | None
    """How many of its jobs may run at once, on all machines together."""
    retention: Retention | None
    retry: Retry | None
    paused_at: datetime | None
    paused_by: str | None
    paused_reason: str | None
    changed_at: datetime | None
    """When an operator last changed something, or paused the queue; None: all there is comes from code."""
    changed_by: str | None
    cooldown: Cooldown | None = None
    rate: str | None = None
    """How many of its jobs may be claimed in which time, as in ``"30/min"``."""
    burst: int | None = None
    """How many of them at once."""
    changes: Mapping[str, SettingChange] = field(default_factory=dict)
    """The settings that operators have changed, by name; all others follow the code."""

    @property
    def paused(self) -> bool:
        return self.paused_at is not None


def running_limit(value: object) -> int:
    """A limit on running jobs, checked."""
    if value == 0 and not isinstance(value, bool):
        raise ConfigError("max_running must be at least 1, got 0; pause the queue, or the app, to let nothing run")
    return validate.whole_number(value, "max_running", least=1, most=1_000_000)


_STORED: Mapping[str, Callable[[Any], int | str]] = {
    "weight": lambda given: validate.whole_number(given, "weight", least=1, most=1000),
    "max_length": lambda given: validate.whole_number(given, "max_length", least=0),
    "max_running": running_limit,
    "retention": lambda given: write_retention(retention_policy(given)),
    "retry": lambda given: write_retry(retry_rule(given)),
    "cooldown": lambda given: write_cooldown(cooldown_rule(given)),
}
"""How a setting is checked and written. A rate is written together with its burst."""

SETTINGS = (*_STORED, "rate")
"""What an operator changes, and resets, one by one."""


def changes_of(given: QueueOptions) -> dict[str, int | str | None]:
    """What is given, checked and as stores keep it, by setting; None takes a setting back."""
    check_known(given, tuple(QueueOptions.__annotations__), "setting")
    changes = {
        name: None if value is None else _STORED[name](value) for name, value in given.items() if name in _STORED
    }
    burst = given.get("burst")
    if "rate" in given:
        changes["rate"] = None if given["rate"] is None else write_rate(read_rate(given["rate"], burst))
    elif burst is not None:
        raise ConfigError("burst needs a rate, as in configure(rate='30/min', burst=5)")
    return changes


def since_milliseconds(unchanged_since: datetime | None) -> int | None:
    """When a caller has seen an operator's last change, as stores compare it: 0 for never; None where it does not
    matter.
    """
    if unchanged_since is UNSET:
        return None
    return 0 if unchanged_since is None else validate.milliseconds_since_1970(unchanged_since, "unchanged_since")


def seed_of(name: str, **declared: Unpack[QueueOptions]) -> QueueSeed:
    """What code says of a queue, checked; None says nothing."""
    said: Any = {setting: value for setting, value in declared.items() if value is not None}
    seed: Any = changes_of(said)
    return QueueSeed(name)._replace(**seed)


def reset_changes(names: tuple[str, ...], seed: QueueSeed | None) -> dict[str, int | str | None]:
    """What these settings, or all, are without an operator: as the code of this process says, else the default."""
    for name in names:
        if name not in SETTINGS:
            raise ConfigError(f"queues have no setting {name!r}; there are {', '.join(SETTINGS)}")
    return {name: getattr(seed, name, None) for name in names or SETTINGS}


def settings_of(record: QueueRecord) -> QueueSettings:
    """A stored queue's settings in the types of the API."""
    rate = stored_rate(record.rate)
    return QueueSettings(
        weight=record.weight,
        max_length=record.max_length,
        max_running=record.max_running,
        retention=read_retention(record.retention),
        retry=read_retry(record.retry),
        paused_at=clock.instant_or_none(record.paused_at),
        paused_by=record.paused_by,
        paused_reason=record.paused_reason,
        changed_at=clock.instant_or_none(record.changed_at),
        changed_by=record.changed_by,
        cooldown=read_cooldown(record.cooldown),
        rate=None if rate is None else str(rate),
        burst=None if rate is None else rate.burst,
        changes=_read_decided(record.decided),
    )


def _read_decided(text: str | None) -> dict[str, SettingChange]:
    """What is damaged says nothing."""
    if text is None:
        return {}
    try:
        decided = msgspec.json.decode(text, type=dict[str, tuple[int, str]])
    except msgspec.DecodeError:
        return {}
    return {name: SettingChange(clock.instant(at), by) for name, (at, by) in sorted(decided.items())}
