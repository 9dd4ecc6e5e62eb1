"""Workers as an app sees them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from windlass import clock
from windlass.core.state import State
from windlass.store.operation import Operation
from windlass.store.operations import leases, queries
from windlass.store.operations.leases import WorkerRecord
from windlass.store.operations.queries import EventRecord

WORKER_INFO = (
    "host",
    "pid",
    "queues",
    "caps",
    "reserves",
    "concurrency",
    "commands",
    "duties",
    "leads_since",
    "rounds",
    "python",
    "version",
    "release",
    "uptime",
    "running",
    "ended",
    "failed",
    "refused",
    "abandoned",
    "unknown_tasks",
    "memory",
    "cpu",
    "last",
)
"""What a worker reports of itself, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job that was rescued from a dead worker, and where it went."""

    id: str
    state: State
    at: datetime
    by: str | None
    """The worker that rescued it."""


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A live worker, or one that died within a day."""

    id: str
    """Random for each start of a process; leases use it."""
    name: str
    state: str
    """starting, idle, busy, paused, draining or lost."""
    started_at: datetime
    seen_at: datetime
    signal: str | None
    signalled_by: str | None
    info: dict[str, Any] = field(default_factory=dict)
    """Host, pid, queues, concurrency, versions, memory, CPU, counts, what runs and the last jobs."""
    taken: tuple[TakenJob, ...] = ()
    """Of a lost worker: the jobs that were rescued from it."""

    @property
    def is_alive(self) -> bool:
        """Whether its lease is in time."""
        return self.state != "lost"

    @property
    def uptime(self) -> timedelta:
        """How long it has been running; the uptime in its report is as old as its last heartbeat."""
        until = clock.instant(clock.now()) if self.is_alive else self.seen_at
        return max(timedelta(0), until - self.started_at)

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues that it serves. Its report may be damaged."""
        said = self.info.get("queues")
        return tuple(name for name in said if isinstance(name, str)) if isinstance(said, list) else ()

    @property
    def runs_jobs(self) -> bool:
        """Whether it is more than ``windlass duties``."""
        return self.info.get("concurrency") != 0

    @property
    def leads_since(self) -> datetime | None:
        """Since when it leads; None if it does not. Its report may be damaged."""
        return read_instant(self.info.get("leads_since")) if self.is_alive else None

    @property
    def does_upkeep(self) -> bool:
        """Whether it promotes due jobs and rescues; assumed of workers of older versions, which do not report it."""
        return self.is_alive and self.info.get("duties") is not False


def read_instant(text: object) -> datetime | None:
    """An instant of a report, which may be damaged."""
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def worker_views() -> Operation[list[WorkerView]]:
    """All live workers, and those that died within a day with the jobs that were rescued from them."""
    workers = yield from leases.workers()
    if all(worker.is_alive for worker in workers):
        return [_view(worker) for worker in workers]
    losses = [notice for notice in (yield from queries.notices()) if notice.kind == "taken"]
    return [replace(_view(worker), taken=_taken(worker, losses)) for worker in workers]


def _taken(worker: WorkerRecord, losses: list[EventRecord]) -> tuple[TakenJob, ...]:
    from windlass.insight.timeline import detail_of

    if worker.is_alive:
        return ()
    theirs = [loss for loss in losses if loss.worker == worker.name and loss.at >= worker.started_at]
    return tuple(
        TakenJob(job["id"], State(job["state"]), clock.instant(loss.at), detail.get("by"))
        for loss in theirs
        for detail in [detail_of(loss.detail)]
        for job in detail.get("jobs", ())
    )


def _view(record: WorkerRecord) -> WorkerView:
    """A worker as it is shown; its report may be damaged."""
    try:
        info = msgspec.json.decode(record.info, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError):
        info = {}
    return WorkerView(
        record.id,
        record.name,
        record.state,
        clock.instant(record.started_at),
        clock.instant(record.seen_at),
        record.signal,
        record.signalled_by,
        info,
    )


def last_deploy(workers: Iterable[WorkerView]) -> datetime | None:
    """Since when all live workers have run the code that they run now: when the first of those that have the newest
    version was started; None without a worker.
    """
    alive = [worker for worker in workers if worker.is_alive and worker.runs_jobs]
    if not alive:
        return None
    newest = max(alive, key=lambda worker: worker.started_at).info.get("version")
    return min(worker.started_at for worker in alive if worker.info.get("version") == newest)
