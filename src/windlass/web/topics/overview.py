"""Everything at a glance, the process that answers."""

from __future__ import annotations

import os
import platform
import socket
from typing import Any

from windlass import clock
from windlass.clock import iso
from windlass.insight import json_forms
from windlass.version import VERSION
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import system as shapes

_STARTED = clock.now()


async def overview(call: Call[Nothing, None]) -> dict[str, object]:
    """All queues, workers and problems."""
    seen = await call.readings.overview()
    return {**json_forms.overview(call.app.store, seen.value), "read_at": iso(seen.at)}


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
)
