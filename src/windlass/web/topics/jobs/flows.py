"""Graphs of jobs that wait for each other."""

from __future__ import annotations

from windlass.insight import json_forms
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import flows as shapes


async def show_flow(call: Call[Nothing, None]) -> dict[str, object]:
    """All jobs that hang together with one."""
    job = await call.app.ajob(call.path["id"])
    return json_forms.flow(await job.aflow())


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/flows/{{id}}",
        handler=show_flow,
        summary="All jobs that hang together with one, and what they wait for.",
        topic="Flows",
        role=Role.VIEWER,
        answer=shapes.Flow,
        problems=(404,),
    ),
)
