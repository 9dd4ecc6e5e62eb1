"""Everything at a glance, the process that answers, its tasks."""

from __future__ import annotations

import os
import platform
import socket
from typing import Any

from windlass import clock
from windlass.clock import iso
from windlass.insight import json_forms
from windlass.task import Task
from windlass.version import VERSION
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import system as shapes

_STARTED = clock.now()


async def overview(call: Call[Nothing, None]) -> dict[str, object]:
    """All queues, workers and problems."""
    return json_forms.overview(call.app.store, await call.app.aoverview())


async def system(call: Call[Nothing, None]) -> dict[str, object]:
    """This process and its store."""
    return {
        "version": VERSION,
        "python": platform.python_version(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "started_at": iso(clock.instant(_STARTED)),
        "store": call.app.store,
        "namespace": call.app.client.namespace,
        "tasks": len(call.app.tasks),
    }


async def tasks(call: Call[Nothing, None]) -> dict[str, object]:
    """What this process can enqueue by name."""
    app = call.app
    attempts = app.client.retry.attempts
    known = sorted(app.tasks, key=lambda task: task.name)
    return {"tasks": [_task(task, app.client.enqueuer.queue_of(task), attempts) for task in known]}


def _task(task: Task[..., Any], queue: str, attempts: int) -> dict[str, object]:
    settings = task.settings
    said = (task.function.__doc__ or "").strip().splitlines()
    return {
        "name": task.name,
        "queue": queue,
        "priority": settings.priority,
        "attempts": attempts if settings.retry is None else settings.retry.attempts,
        "timeout": _seconds(settings.time_limit),
        "isolation": settings.isolation or "thread",
        "concurrency": settings.concurrency,
        "rate": settings.rate,
        "expires": _seconds(settings.expiry),
        "cache": _seconds(settings.cached_for),
        "tags": list(settings.tags),
        "doc": said[0] if said else None,
    }


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _route(path: str, handler: Any, summary: str, answer: Any) -> Route:
    return Route(
        method="GET",
        path=f"{PREFIX}{path}",
        handler=handler,
        summary=summary,
        topic="System",
        role=Role.VIEWER,
        answer=answer,
    )


ROUTES = (
    _route("/overview", overview, "Everything at a glance: queues, workers, counts, problems.", shapes.Overview),
    _route("/system", system, "The process that answers, and its store.", shapes.System),
    _route("/tasks", tasks, "The tasks that the process which answers knows.", shapes.Tasks),
)
