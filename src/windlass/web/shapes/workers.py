"""Workers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from windlass.core.state import State


class TakenJob(Struct, frozen=True):
    """A job that was rescued from a lost worker."""

    id: str
    state: State
    at: datetime
    by: str | None


class Worker(Struct, frozen=True, kw_only=True):
    """A live worker, or one that was lost within a day; what it did not report is null."""

    id: str
    name: str
    state: str
    """starting, idle, busy, paused, draining, duties or lost."""
    started_at: datetime
    seen_at: datetime
    signal: str | None
    signalled_by: str | None
    host: Any
    pid: Any
    queues: Any
    caps: Any
    reserves: Any
    concurrency: Any
    commands: Any
    duties: Any
    leads_since: Any
    rounds: Any
    python: Any
    version: Any
    release: Any
    """The version of the code that it was given, or a fingerprint of it."""
    uptime: int
    running: Any
    ended: Any
    failed: Any
    refused: Any
    abandoned: Any
    unknown_tasks: Any
    memory: Any
    cpu: Any
    last: Any
    taken: list[TakenJob]
    """Of a lost worker: the jobs that were rescued from it."""


class Workers(Struct, frozen=True):
    """All workers."""

    workers: list[Worker]
    read_at: datetime
    """When it was read: one reading answers all who ask within half a second."""


class WorkersQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which workers."""

    lost: bool | UnsetType = UNSET
    """Only those that are lost, or only those that live."""


class WorkerAsked(Struct, frozen=True):
    """How many workers an order reached; they follow within 2 s."""

    worker: str
    order: str
    reached: int


class WorkerStacks(Struct, frozen=True):
    """Where the threads and coroutines of one worker are."""

    id: str
    stacks: str


class Stacks(Struct, frozen=True):
    """The answers of all workers of that id or name."""

    workers: list[WorkerStacks]
