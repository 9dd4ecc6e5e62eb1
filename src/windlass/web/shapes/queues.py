"""Queues and their settings."""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType

from windlass.web.shapes.jobs import JobSummary, Limit, Time
from windlass.web.shapes.limits import CooldownView


class Pause(Struct, frozen=True):
    """Who paused it, when and why."""

    at: datetime | None
    by: str | None
    reason: str | None


class Retention(Struct, frozen=True, forbid_unknown_fields=True):
    """How long finished jobs stay, in seconds or as ``7d``; null keeps them."""

    completed: Time | UnsetType | None = UNSET
    cancelled: Time | UnsetType | None = UNSET
    failed: Time | UnsetType | None = UNSET
    at_most: int | UnsetType | None = UNSET


class RetryRule(Struct, frozen=True, forbid_unknown_fields=True):
    """How often and when jobs are retried."""

    attempts: int | UnsetType = UNSET
    backoff: str | UnsetType = UNSET
    base: Time | UnsetType = UNSET
    factor: float | UnsetType = UNSET
    floor: Time | UnsetType = UNSET
    cap: Time | UnsetType = UNSET
    jitter: float | UnsetType = UNSET


class CooldownRule(Struct, frozen=True, forbid_unknown_fields=True):
    """How long it rests after ``Throttled``."""

    enabled: bool | UnsetType = UNSET
    base: Time | UnsetType = UNSET
    max: Time | UnsetType = UNSET


class SettingChange(Struct, frozen=True):
    """When an operator changed a setting, and who it was."""

    at: datetime
    by: str


class QueueSettings(Struct, frozen=True):
    """What is set; null is the default."""

    weight: int | None
    max_length: int | None
    max_running: int | None
    retention: Retention | None
    retry: RetryRule | None
    rate: str | None
    burst: int | None
    cooldown: CooldownRule | None
    paused: Pause | None
    changed_at: datetime | None
    changed_by: str | None
    changes: dict[str, SettingChange]
    """The settings that operators have changed; all others follow the code."""


class Queue(QueueSettings, frozen=True, kw_only=True):
    """A queue with its counts and settings."""

    name: str
    counts: dict[str, int]
    oldest_seconds: float | None
    """How long the oldest ready job has waited."""
    workers: int
    cooling: CooldownView | None


class Queues(Struct, frozen=True):
    """All queues, and what holds for all of them together."""

    queues: list[Queue]
    all_paused: Pause | None
    all_max_running: int | None
    read_at: datetime
    """When it was read: one reading answers all who ask within half a second."""


class QueueOrder(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings to change; null takes one back, so that the default holds."""

    weight: int | UnsetType | None = UNSET
    max_length: int | UnsetType | None = UNSET
    max_running: int | UnsetType | None = UNSET
    retention: Retention | UnsetType | None = UNSET
    retry: RetryRule | UnsetType | None = UNSET
    cooldown: CooldownRule | UnsetType | None = UNSET
    rate: str | UnsetType | None = UNSET
    burst: int | UnsetType | None = UNSET


class PauseOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is paused."""

    reason: str | None = None


class Paused(Struct, frozen=True):
    """Whether a queue is paused; a null queue stands for all of them. Workers follow within 2 s."""

    queue: str | None
    paused: bool


class Purged(Struct, frozen=True):
    """How many waiting jobs of a queue were deleted; ``complete`` is false when there are more: repeat it."""

    queue: str
    deleted: int
    complete: bool


class PeekQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many."""

    limit: Limit = 10


class PeekedJobs(Struct, frozen=True):
    """The next jobs in the order in which they will run."""

    jobs: list[JobSummary]
