"""Schedules and their fires."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from windlass.core.state import State
from windlass.web.shapes.jobs import Time
from windlass.web.shapes.queues import Pause


class ScheduleSettings(Struct, frozen=True):
    """When a schedule fires, and the job that it makes; null for all where it cannot be read."""

    cron: str | None
    every: float | None
    tz: str | None
    catch_up: str | None
    catch_up_limit: int | None
    overlap: str | None
    jitter: float | None
    queue: str | None
    priority: int | None
    attempts: int | None
    timeout: float | None
    expires: float | None
    unique: str | None
    tags: list[str] | None


class ScheduleChange(Struct, frozen=True):
    """An operator's changes to a schedule that code declares."""

    at: datetime | None
    by: str | None
    settings: list[str]
    code: ScheduleSettings


class Schedule(ScheduleSettings, frozen=True, kw_only=True):
    """A schedule."""

    name: str
    task: str
    state: str
    origin: str
    next_at: datetime | None
    paused: Pause | None
    orphaned_at: datetime | None
    changed: ScheduleChange | None
    last_job: str | None
    problem: str | None


class Schedules(Struct, frozen=True):
    """All schedules, by name."""

    schedules: list[Schedule]


class Fire(Struct, frozen=True):
    """What became of a slot, or of several that were missed."""

    schedule: str
    planned_at: datetime
    last_planned_at: datetime
    count: int
    at: datetime
    outcome: str
    reason: str | None
    job: str | None


class ScheduleDetail(Schedule, frozen=True, kw_only=True):
    """A schedule with its arguments, secrets masked, and its last slots."""

    args: list[Any] | None
    kwargs: dict[str, Any] | None
    meta: dict[str, Any] | None
    fires: list[Fire]


class Fires(Struct, frozen=True):
    """What became of the slots of a schedule, the newest first."""

    fires: list[Fire]


class Slot(Struct, frozen=True):
    """A slot that is to come."""

    at: datetime
    local: datetime
    note: str | None
    """Where the clocks change."""


class Preview(Struct, frozen=True):
    """The next slots of a schedule."""

    name: str
    tz: str
    state: str
    slots: list[Slot]


class SchedulesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which schedules."""

    task: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    """Only those that fire, or only those that do not."""


class FiresQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which fires."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    before: str | UnsetType = UNSET
    """The ``planned_at`` of the last one of the page before."""


class PreviewQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many slots."""

    count: Annotated[int, Meta(ge=1, le=1000)] = 10


class ScheduleOrder(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a schedule is to say; what is left out stays as it is."""

    cron: str | UnsetType = UNSET
    every: Time | UnsetType = UNSET
    tz: str | UnsetType = UNSET
    args: list[Any] | UnsetType = UNSET
    kwargs: dict[str, Any] | UnsetType = UNSET
    catch_up: str | UnsetType = UNSET
    catch_up_limit: int | UnsetType = UNSET
    overlap: str | UnsetType = UNSET
    jitter: Time | UnsetType = UNSET
    queue: str | UnsetType = UNSET
    priority: Annotated[int, Meta(ge=-100, le=100)] | UnsetType = UNSET
    attempts: Annotated[int, Meta(ge=1, le=32_767)] | UnsetType = UNSET
    timeout: Time | UnsetType | None = UNSET
    expires: Time | UnsetType | None = UNSET
    meta: dict[str, Any] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    unique: str | UnsetType = UNSET
    concurrency_key: str | UnsetType = UNSET
    rate_key: str | UnsetType = UNSET


class NewSchedule(ScheduleOrder, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A schedule to be added: ``cron`` or ``every``, and the rest as it is wanted."""

    name: str
    task: str


class RanSchedule(Struct, frozen=True):
    """The job that a schedule has made now, besides its slots."""

    schedule: str
    id: str
    state: State
    duplicate: bool
