"""Workers as an app sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec

from windlass import clock
from windlass.core.state import State
from windlass.errors import IllegalTransition
from windlass.store.operation import Operation
from windlass.store.operations import leases, queries
from windlass.store.operations.leases import WorkerRecord
from windlass.store.operations.queries import EventRecord


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
    def does_upkeep(self) -> bool:
        """Whether it promotes due jobs and rescues; assumed of workers of older versions, which do not report it."""
        return self.is_alive and self.info.get("duties") is not False


def worker_views() -> Operation[list[WorkerView]]:
    """All live workers, and those that died within a day with the jobs that were rescued from them."""
    workers = yield from leases.workers()
    if not any(worker.state == "lost" for worker in workers):
        return [_view(worker) for worker in workers]
    losses = [notice for notice in (yield from queries.notices()) if notice.kind == "taken"]
    return [replace(_view(worker), taken=_taken(worker, losses)) for worker in workers]


def stop_worker(worker: str, *, by: str) -> Operation[list[str]]:
    """Ask the workers of this id or name to stop; returns their ids. ``IllegalTransition`` if the worker is lost."""
    found = yield from _called(worker)
    if not found:
        return []
    if all(one.state == "lost" for one in found):
        raise IllegalTransition(
            f"worker {worker} is lost and cannot be asked to stop: its jobs are rescued without it, and "
            f"`windlass workers forget {worker}` takes it off the lists"
        )
    reached = yield from leases.signal(worker, signal=leases.STOP, by=by)
    return reached


def forget_worker(worker: str) -> Operation[int]:
    """Take the lost workers of this id or name off the lists; how many. ``IllegalTransition`` if one is alive."""
    found = yield from _called(worker)
    if not found:
        return 0
    if all(one.state != "lost" for one in found):
        raise IllegalTransition(
            f"worker {worker} is {found[0].state}, and only lost workers are forgotten; stop it first: "
            f"windlass workers stop {worker}"
        )
    forgotten = yield from leases.forget(worker)
    return len(forgotten)


def forget_lost_workers() -> Operation[int]:
    """Take all lost workers off the lists; how many."""
    found = yield from leases.workers()
    if all(worker.state != "lost" for worker in found):
        return 0
    forgotten = yield from leases.forget(None)
    return len(forgotten)


def _called(worker: str) -> Operation[list[WorkerRecord]]:
    """Read only: a search in the wrong place must not make a store."""
    found = yield from leases.workers()
    return [one for one in found if worker in (one.id, one.name)]


def _taken(worker: WorkerRecord, losses: list[EventRecord]) -> tuple[TakenJob, ...]:
    from windlass.insight.timeline import detail_of

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
