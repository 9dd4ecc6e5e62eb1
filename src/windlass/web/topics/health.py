"""Whether the process lives and the store answers, and the OpenAPI document."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import PlainTextResponse

from windlass.errors import WindlassError
from windlass.store.operations import queues
from windlass.web.openapi import document
from windlass.web.problems import RETRY_AFTER
from windlass.web.route import PREFIX, Call, Nothing, Route

_PATIENCE = 3.0
"""Seconds that the store may take to answer; a loss has to be told within 5."""
_NOT_KEPT = {"Cache-Control": "no-store"}


async def lives(call: Call[Nothing, None]) -> PlainTextResponse:
    """This process answers."""
    return PlainTextResponse("ok\n", headers=_NOT_KEPT)


async def is_ready(call: Call[Nothing, None]) -> PlainTextResponse:
    """The store answers."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await call.app.client.session.arun(queues.settings(queues.ALL))
    except (WindlassError, TimeoutError):
        return PlainTextResponse("the store does not answer\n", 503, headers={**_NOT_KEPT, "Retry-After": RETRY_AFTER})
    return PlainTextResponse("ok\n", headers=_NOT_KEPT)


async def described(call: Call[Nothing, None]) -> dict[str, Any]:
    """All routes as an OpenAPI document."""
    return document(call.routes, root_path=call.request.scope.get("root_path", ""))


ROUTES = (
    Route(
        method="GET",
        path="/healthz",
        handler=lives,
        summary="Whether the process lives.",
        topic="Health",
        role=None,
        answer=PlainTextResponse,
    ),
    Route(
        method="GET",
        path="/readyz",
        handler=is_ready,
        summary="Whether the store answers.",
        topic="Health",
        role=None,
        answer=PlainTextResponse,
    ),
    Route(
        method="GET",
        path=f"{PREFIX}/openapi.json",
        handler=described,
        summary="This API as an OpenAPI document.",
        topic="Health",
        role=None,
        answer=dict[str, Any],
    ),
)
