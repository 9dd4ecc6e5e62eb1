"""Dead letters: changes of many, their groups by cause, and mutes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from windlass.web.shapes.jobs import JobFilters, Time


class DeadOrder(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which dead letters a change is about: ``ids``, a ``filter`` (empty for all), or the ``next`` of the answer
    before.
    """

    ids: Annotated[list[str], Meta(min_length=1, max_length=1000)] | UnsetType = UNSET
    filter: JobFilters | UnsetType = UNSET
    next: str | UnsetType = UNSET


class DeadRetryOrder(DeadOrder, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which dead letters to run again, and where."""

    to_queue: str | None = None
    rate: str | None = None
    """As in ``20/s``: they are scheduled that far apart."""


class DeadGroup(Struct, frozen=True):
    """Jobs that failed in the same way."""

    group: str
    task: str
    reason: str | None
    error: str | None
    message: str | None
    place: str | None
    count: int
    last_hour: int
    hours: list[int]
    """How many failed in each hour of the last day, the earliest first."""
    trend: Any
    oldest: datetime | None
    newest: datetime | None
    sample: Any
    muted: bool
    """Whether its cause is muted; the ``mutes`` of the answer say who did that and why."""


class Mute(Struct, frozen=True):
    """A group of failures that is muted: alerts on dead letters and error rates leave it out."""

    group: str
    since: datetime
    by: str
    reason: str
    until: datetime | None
    """Null for one that lasts until the next deploy."""


class MuteOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Which group to mute, why, and for how long."""

    group: str
    reason: str
    lasts: Time = "1h"
    """At most 90 days; ``deploy`` for until the next deploy."""


class UnmuteOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Which group counts again."""

    group: str


class Unmuted(Struct, frozen=True):
    """Whether the group was muted."""

    unmuted: bool


class DeadGroups(Struct, frozen=True):
    """Failed jobs by their cause, the largest group first and muted ones last."""

    groups: list[DeadGroup]
    examined: int
    """How many failed jobs were looked at."""
    whole: bool
    """Whether those were all."""
    mutes: list[Mute]
    """All groups that are muted, the oldest mute first; also those that are not listed."""


class DeadGroupsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many groups."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class ManyRetried(Struct, frozen=True):
    """How many jobs were retried. If ``next`` is not null it is to be sent, to go on with the rest of the same jobs."""

    retried: int
    next: str | None
    errors: dict[str, str] = {}
    """By id: why a job was not."""


class ManyDeleted(Struct, frozen=True):
    """How many jobs were deleted. If ``next`` is not null it is to be sent, to go on with the rest of the same jobs."""

    deleted: int
    next: str | None
    errors: dict[str, str] = {}
    """By id: why a job was not."""
