"""Everything at a glance, tasks, duties."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from windlass.core.state import State
from windlass.web.shapes.limits import CooldownView
from windlass.web.shapes.queues import Pause, Queue
from windlass.web.shapes.schedules import Fire
from windlass.web.shapes.workers import Worker


class Leader(Struct, frozen=True):
    """Who leads."""

    id: str
    name: str
    since: datetime | None
    duties: Any
    """The newest round of each duty."""


class Notice(Struct, frozen=True):
    """A store event."""

    at: datetime
    kind: str
    by: str | None
    count: int
    text: str
    detail: Any


class Overview(Struct, frozen=True):
    """Everything at a glance."""

    version: str
    store: str
    counts: dict[str, int]
    queues: list[Queue]
    workers: list[Worker]
    leader: Leader | None
    cooling: list[CooldownView]
    all_paused: Pause | None
    unserved: list[str]
    problems: list[str]
    notices: list[Notice]
    read_at: datetime
    """When it was read: one reading answers all who ask within half a second."""


class System(Struct, frozen=True):
    """The process that answers, and its store."""

    version: str
    python: str
    host: str
    pid: int
    started_at: datetime
    store: str
    namespace: str
    tasks: int
    """How many tasks this process knows."""


class Task(Struct, frozen=True):
    """A task that the process which answers knows."""

    name: str
    queue: str
    priority: int
    attempts: int
    timeout: float | None
    isolation: str
    concurrency: int | None
    rate: str | None
    """What holds: the code's, unless an operator has set another."""
    burst: int | None
    declared_rate: str | None
    rate_changed_at: datetime | None
    rate_changed_by: str | None
    cooling: list[CooldownView]
    expires: float | None
    cache: float | None
    tags: list[str]
    doc: str | None
    """The first line of what its function says of itself."""


class Tasks(Struct, frozen=True):
    """All tasks, by name."""

    tasks: list[Task]


class Rescued(Struct, frozen=True):
    """A job of a worker that died, and where it went."""

    id: str
    state: State


class DutyDone(Struct, frozen=True, omit_defaults=True):
    """What a duty did."""

    duty: str
    rescued: list[Rescued] | None = None
    promoted: int | None = None
    deleted: int | None = None
    archived: int | None = None
    seconds: float | None = None
    fired: list[Fire] | None = None
    rows: int | None = None
    buckets: int | None = None
    pruned: int | None = None


class EventOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """What an event carries."""

    value: Any = None


class SentEvent(Struct, frozen=True):
    """An event that was sent."""

    event: str


class Health(Struct, frozen=True):
    """Whether the process lives, or the store answers."""

    status: str
