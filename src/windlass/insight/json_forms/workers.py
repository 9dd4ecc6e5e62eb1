"""Workers."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.clock import iso
from windlass.insight.workers import WORKER_INFO, WorkerView


def workers(views: Sequence[WorkerView]) -> dict[str, object]:
    """All workers."""
    return {"workers": [worker(view) for view in views]}


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
        "uptime": round(view.uptime.total_seconds()),
        "taken": [{"id": job.id, "state": str(job.state), "at": iso(job.at), "by": job.by} for job in view.taken],
    }


def leader(view: WorkerView) -> dict[str, object]:
    """Who leads, since when, and the newest round of each of its duties."""
    return {"id": view.id, "name": view.name, "since": iso(view.leads_since), "duties": view.info.get("rounds")}
