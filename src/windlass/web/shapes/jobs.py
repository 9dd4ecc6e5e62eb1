"""Jobs, lists of them, and filters."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from windlass.core.state import State

Time = str | float
"""A length of time: seconds, or text such as ``10m``."""
Limit = Annotated[int, Meta(ge=1, le=500)]
Text = Annotated[str, Meta(max_length=256)]
"""Of a filter, which has to fit into a cursor."""


class Progress(Struct, frozen=True):
    """How far a run says it is."""

    value: float | None
    text: str | None


class JobSummary(Struct, frozen=True):
    """A job in a list."""

    id: str
    task: str
    queue: str
    state: State
    reason: str | None
    priority: int
    attempt: int
    max_attempts: int
    crashes: int
    rescues: int
    worker: str | None
    fence: int
    tags: list[str]
    progress: Progress
    created_at: datetime
    run_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str | None
    """What its newest failed attempt raised, on one line."""


class JobList(Struct, frozen=True):
    """A page of jobs, the newest first."""

    jobs: list[JobSummary]
    next: str | None
    """The cursor of the next page; null on the last one. A page may be short and still have a next one."""
    unsearched: int
    """With ``text`` or ``arg``: how many other jobs were looked at whose arguments, metadata or errors are encrypted,
    so that they could not be searched.
    """
    count: int | str | None = None
    """With ``count=true``: how many jobs match, exact up to 1,000; ``1000+`` or, after a long search, ``17+`` for at
    least so many.
    """


class Fault(Struct, frozen=True):
    """What one attempt raised."""

    at: datetime
    attempt: int
    worker: str | None
    type: str
    message: str
    cause: list[str]
    traceback: str
    log: str


class Step(Struct, frozen=True):
    """What a job has recorded under a name."""

    name: str
    kind: str
    began_at: datetime | None
    ended_at: datetime | None
    wake_at: datetime | None
    event: str | None
    fence: int | None


class Relative(Struct, frozen=True):
    """A job that waits for another, or that is waited for."""

    id: str | None
    task: str | None
    state: str | None
    """Null, as id and task, of a job that is gone."""


class Relatives(Struct, frozen=True):
    """How many there are, and the first five of them."""

    number: int
    jobs: list[Relative]


class Group(Struct, frozen=True):
    """A group of jobs, by its callback."""

    callback: str
    task: str
    members: int
    """How many it has."""


class JobDetail(JobSummary, frozen=True, kw_only=True):
    """Everything about one job, secrets masked."""

    timeout: float | None
    unique_key: str | None
    cached_until: datetime | None
    lease_expires_at: datetime | None
    """Of a job that runs."""
    expires_at: datetime | None
    concurrency_key: str | None
    rate_key: str | None
    cancel_requested_at: datetime | None
    correlation_id: str
    schedule: str | None
    planned_at: datetime | None
    meta: dict[str, Any]
    args: list[Any] | dict[str, Any] | None
    """Null where they cannot be read. These, metadata and result are ``{"encrypted": KEY ID}`` without their key."""
    kwargs: dict[str, Any] | None
    result: Any
    errors: list[Fault]
    errors_left_out: int
    log: str
    steps: list[Step]
    parents: Relatives
    children: Relatives
    groups: list[Group]
    """Those that it is a member of."""
    unreadable: list[str]
    encrypted: dict[str, str]
    """The ids of keys, by the names of the stored texts that are encrypted under them."""


class TimelineEntry(Struct, frozen=True):
    """Something that happened to a job."""

    at: datetime
    kind: str
    worker: str | None
    fence: int | None
    detail: dict[str, Any] | None


class Timeline(Struct, frozen=True):
    """The history of a job, the earliest first."""

    id: str
    timeline: list[TimelineEntry]


class Why(Struct, frozen=True):
    """Why a job is not running."""

    id: str
    state: State
    why: str


class JobFilters(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs are meant; what is left out does not matter."""

    id: Text | UnsetType = UNSET
    """The job of this id."""
    queue: Text | UnsetType = UNSET
    task: Text | UnsetType = UNSET
    reason: Text | UnsetType = UNSET
    group: Text | UnsetType = UNSET
    """Of failed jobs: those of this group, as ``GET /dead/groups`` names it."""
    since: Text | UnsetType = UNSET
    """Made since: an instant with its zone, or how long ago, as in ``2h``."""
    until: Text | UnsetType = UNSET
    """Made before."""
    text: Text | UnsetType = UNSET
    """Somewhere in id, task, queue, worker, tags, arguments, metadata or errors, where these are clear."""
    tag: Text | UnsetType = UNSET
    meta: Annotated[dict[Text, Text], Meta(max_length=5)] | UnsetType = UNSET
    """As ``meta.KEY=value``: jobs whose metadata has this value under this key."""
    arg: Annotated[dict[Text, Text], Meta(max_length=5)] | UnsetType = UNSET
    """As ``arg.NAME=value``: jobs whose argument of this name has this value; masked values match nothing."""


class DeadQuery(JobFilters, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which dead letters, and which page of them."""

    limit: Limit = 50
    cursor: str | UnsetType = UNSET
    count: bool = False
    """Whether to say how many jobs match."""


class JobsQuery(DeadQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs, and which page of them."""

    state: State | UnsetType = UNSET
    running_for: str | UnsetType = UNSET
    """Running for at least so long: ``10m``."""


class NewJob(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A job to be made. What is left out is as its task says."""

    task: str
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    queue: str | UnsetType = UNSET
    priority: Annotated[int, Meta(ge=-100, le=100)] | UnsetType = UNSET
    attempts: Annotated[int, Meta(ge=1, le=32_767)] | UnsetType = UNSET
    timeout: Time | UnsetType | None = UNSET
    delay: Time | UnsetType = UNSET
    at: Annotated[datetime, Meta(tz=True)] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    """The same id twice is one job."""
    unique: str | UnsetType = UNSET
    """Only one unfinished job may hold this key."""
    tags: list[str] | UnsetType = UNSET
    correlation_id: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = UNSET
    expires: Time | UnsetType | None = UNSET
    concurrency_key: str | UnsetType = UNSET
    rate_key: str | UnsetType = UNSET


class MadeJob(Struct, frozen=True):
    """A job that was made, or was there already."""

    id: str
    state: State
    duplicate: bool
    """Whether it was there already: the same id, or a unique key that is held."""
    replaced: bool


class CancelOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """How to cancel."""

    reason: str | None = None
    """Why; kept in the timeline."""
    descendants: bool = False
    """Also all jobs that wait for it, however deep."""


class RetryOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """How to retry."""

    to_queue: str | None = None
    """Run it in another queue."""


class ChangedJob(Struct, frozen=True):
    """A job after a change."""

    id: str
    state: State


class FailOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a job is failed by hand."""

    reason: str | None = None


class RescheduleOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """To when a job that waits is moved: ``delay`` from now, or ``at``."""

    delay: Time | UnsetType = UNSET
    at: Annotated[datetime, Meta(tz=True)] | UnsetType = UNSET
