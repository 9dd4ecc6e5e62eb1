"""Workers as an app sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec

from windlass import clock
from windlass.core.state import State
from windlass.store import leases, reading
from windlass.store.leases import WorkerRecord
from windlass.store.operation import Operation
from windlass.store.reading import EventRecord


@dataclass(frozen=True, slots=True)
class TakenJob:
    """A job that a worker lost, and where it went."""

    id: str
    state: State
    at: datetime
    by: str | None
    """Who took it."""


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker that lives, or was lost within a day."""

    id: str
    """Random for each start of a process; it alone decides who owns what."""
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
    """Of a lost worker: the jobs that were taken from it."""


def worker_views() -> Operation[list[WorkerView]]:
    """All workers that live, and those that were lost within a day with what they lost."""
    workers = yield from leases.workers()
    if not any(worker.state == "lost" for worker in workers):
        return [_view(worker) for worker in workers]
    losses = [notice for notice in (yield from reading.notices()) if notice.kind == "taken"]
    return [replace(_view(worker), taken=_taken(worker, losses)) for worker in workers]


def _taken(worker: WorkerRecord, losses: list[EventRecord]) -> tuple[TakenJob, ...]:
    from windlass.timeline import detail_of

    if worker.state != "lost":
        return ()
    theirs = [loss for loss in losses if loss.worker == worker.name and loss.at >= worker.started_at]
    return tuple(
        TakenJob(job["id"], State(job["state"]), clock.instant(loss.at), detail.get("by"))
        for loss in theirs
        for detail in [detail_of(loss.detail)]
        for job in detail.get("jobs", ())
    )


def _view(record: WorkerRecord) -> WorkerView:
    """What it said of itself may be damaged, the rest is not."""
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
