"""Jobs, queues, workers and notices as values for JSON: one form each, for the command line and for HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from windlass import clock
from windlass.clock import iso
from windlass.core.fault import Fault
from windlass.insight.notices import Notice
from windlass.insight.overview import Overview, QueueView
from windlass.insight.payload import PayloadView
from windlass.insight.redact import redacted
from windlass.insight.timeline import TimelineEntry
from windlass.insight.workers import WorkerView
from windlass.job import Job
from windlass.queue import QueueSettings
from windlass.retention import Retention
from windlass.store.operations.queries import DeadGroup
from windlass.version import VERSION

WORKER_INFO = (
    "host",
    "pid",
    "queues",
    "concurrency",
    "commands",
    "duties",
    "python",
    "version",
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


def job_summary(job: Job[Any]) -> dict[str, object]:
    """A job in a list."""
    return {
        "id": job.id,
        "task": job.task,
        "queue": job.queue,
        "state": str(job.state),
        "reason": job.reason,
        "priority": job.priority,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "crashes": job.record.crashes,
        "rescues": job.record.rescues,
        "worker": job.worker,
        "fence": job.fence,
        "progress": {"value": job.progress.value, "text": job.progress.text},
        "created_at": iso(job.created_at),
        "run_at": iso(job.run_at),
        "started_at": iso(job.started_at),
        "finished_at": iso(job.finished_at),
        "error": last_error(job),
    }


def job_detail(job: Job[Any], parameters: Sequence[str] = ()) -> dict[str, object]:
    """Everything about one job, secrets masked; ``parameters`` are the task's parameter names, if they are known."""
    payload = PayloadView.of(job.record.payload, parameters)
    return job_summary(job) | {
        "timeout": None if job.record.timeout is None else job.record.timeout / 1000,
        "unique_key": job.record.unique_key,
        "cancel_requested_at": iso(clock.instant_or_none(job.record.cancel_requested_at)),
        "correlation_id": job.correlation_id,
        "tags": list(job.tags),
        "meta": redacted(job.meta),
        "args": payload.args,
        "kwargs": payload.kwargs,
        "result": job_result(job),
        "errors": [_fault(fault) for fault in job.errors],
        "errors_left_out": job.errors_left_out,
        "log": job.log,
    }


def last_error(job: Job[Any]) -> str | None:
    """What its newest failed attempt raised, on one line."""
    return f"{job.errors[-1].type}: {job.errors[-1].message}" if job.errors else None


def job_result(job: Job[Any]) -> object:
    """The result in its stored form, secrets masked; None also for one that cannot be read."""
    try:
        return redacted(json.loads(job.record.result or "null"))
    except (ValueError, RecursionError):
        return None


def timeline_entry(entry: TimelineEntry) -> dict[str, object]:
    """One entry of a job's history."""
    return {
        "at": iso(entry.at),
        "kind": entry.kind,
        "worker": entry.worker,
        "fence": entry.fence,
        "detail": entry.detail,
    }


def dead_group(group: DeadGroup) -> dict[str, object]:
    """Jobs that failed in the same way."""
    newest = iso(clock.instant_or_none(group.newest))
    return {"task": group.task, "reason": group.reason, "error": group.error, "count": group.count, "newest": newest}


def queue(view: QueueView) -> dict[str, object]:
    """A queue with its counts and settings."""
    return {
        "name": view.name,
        "counts": {str(state): count for state, count in view.counts.items()},
        "oldest_seconds": None if view.oldest is None else view.oldest.total_seconds(),
        "workers": view.workers,
        **queue_settings(view.settings),
    }


def queue_settings(settings: QueueSettings) -> dict[str, object]:
    """The settings of a queue."""
    return {
        "weight": settings.weight,
        "max_length": settings.max_length,
        "retention": _retention(settings.retention),
        "paused": pause(settings),
        "changed_by": settings.changed_by,
    }


def pause(settings: QueueSettings) -> dict[str, object] | None:
    """Who paused it and why; None if it is not paused."""
    if not settings.paused:
        return None
    return {"at": iso(settings.paused_at), "by": settings.paused_by, "reason": settings.paused_reason}


def worker(view: WorkerView) -> dict[str, object]:
    """A worker; what it did not report is null."""
    return {
        "id": view.id,
        "name": view.name,
        "state": view.state,
        "started_at": iso(view.started_at),
        "seen_at": iso(view.seen_at),
        "signal": view.signal,
        "signalled_by": view.signalled_by,
        **{name: view.info.get(name) for name in WORKER_INFO},
        "uptime": round(uptime(view).total_seconds()),
        "taken": [{"id": job.id, "state": str(job.state), "at": iso(job.at), "by": job.by} for job in view.taken],
    }


def uptime(view: WorkerView) -> timedelta:
    """How long a worker has been running; the uptime in its report is as old as its last heartbeat."""
    until = view.seen_at if view.state == "lost" else clock.instant(clock.now())
    return max(timedelta(0), until - view.started_at)


def notice(noticed: Notice) -> dict[str, object]:
    """A store event."""
    return {
        "at": iso(noticed.at),
        "kind": noticed.kind,
        "by": noticed.by,
        "count": noticed.count,
        "text": noticed.text,
        "detail": noticed.detail,
    }


def overview(store: str, seen: Overview) -> dict[str, object]:
    """Everything at a glance."""
    return {
        "version": VERSION,
        "store": store,
        "counts": {str(state): count for state, count in seen.counts.items()},
        "queues": [queue(view) for view in seen.queues],
        "workers": [worker(view) for view in seen.workers],
        "all_paused": pause(seen.everywhere),
        "unserved": [view.name for view in seen.queues if view.is_unserved],
        "problems": seen.problems,
        "notices": [notice(noticed) for noticed in seen.notices],
    }


def _fault(fault: Fault) -> dict[str, object]:
    return {
        "at": iso(clock.instant(fault.at)),
        "attempt": fault.attempt,
        "worker": fault.worker,
        "type": fault.type,
        "message": fault.message,
        "cause": list(fault.cause),
        "traceback": fault.traceback,
        "log": fault.log,
    }


def _retention(retention: Retention | None) -> dict[str, object] | None:
    if retention is None:
        return None
    kept = {state: getattr(retention, state) for state in ("completed", "cancelled", "failed")}
    seconds = {state: None if length is None else length.total_seconds() for state, length in kept.items()}
    return {**seconds, "at_most": retention.at_most}
