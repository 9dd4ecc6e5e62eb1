"""Named limits, rates of tasks, and cool-downs."""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType


class CooldownView(Struct, frozen=True):
    """Something that cools down."""

    scope: str
    name: str
    since: datetime
    until: datetime
    job: str | None
    reason: str | None


class Limit(Struct, frozen=True):
    """A named limit with its tokens and how many wait for one."""

    name: str
    rate: str
    burst: int
    tokens: int
    next_seconds: float
    waiting: int
    cooling: CooldownView | None
    changed_at: datetime | None
    changed_by: str | None


class Limits(Struct, frozen=True):
    """All named limits."""

    limits: list[Limit]


class LimitOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """What to set; a limit that is not there yet needs a rate."""

    rate: str | UnsetType = UNSET
    """As in ``30/min``."""
    burst: int | UnsetType = UNSET


class TaskRate(Struct, frozen=True):
    """The rate of a task, which holds for each of its rate keys, and what of it cools down."""

    task: str
    rate: str | None
    """What holds; null: no limit."""
    burst: int | None
    declared: str | None
    """What the code says."""
    declared_burst: int | None
    changed_at: datetime | None
    """When an operator has set it; null where the code decides."""
    changed_by: str | None
    cooling: list[CooldownView]


class TaskRateOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """What to set."""

    rate: str | None
    """As in ``30/min``; null: no limit."""
    burst: int | UnsetType = UNSET
