"""The API as an ASGI application, to be served alone or mounted into another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as Mounted
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from windlass.app import Windlass
from windlass.errors import OutcomeUnknown
from windlass.web.bodies import SentBody
from windlass.web.cursors import Cursors
from windlass.web.inputs import field_names, read_body, read_path, read_query
from windlass.web.problems import Problem, not_found, problem_of
from windlass.web.readings.shared_reading import SHARED_FOR, SharedReadings
from windlass.web.route import Answer, Call, Gatekeeper, Route
from windlass.web.security.closed import Closed
from windlass.web.security.headers import SecureHeaders
from windlass.web.security.roles import ANONYMOUS, Role
from windlass.web.security.security import Security
from windlass.web.security.settings import Authenticate, SecuritySettings
from windlass.web.table import ROUTES

DEADLINE = 5.0
"""Seconds within which a request is answered, also when the store is away."""


def api(
    app: Windlass,
    *,
    auth: Authenticate | None = None,
    security: Gatekeeper | None = None,
    deadline: float = DEADLINE,
    secret: str | bytes | None = None,
    shared_for: float = SHARED_FOR,
    routes: Sequence[Route] = ROUTES,
    environment: str = "",
) -> ASGIApp:
    """The HTTP API of an app, as an ASGI application that can be mounted under any prefix.

    ``auth`` takes a request and gives an ``Identity``, or None for a caller that you do not know; it may be async.
    Tokens of the store (``windlass tokens``) are accepted beside it. Without it, and without a ``security`` of your
    own, all but the health checks are refused. ``secret`` signs cursors; all processes that serve one store need the
    same, and without it they take the address of the store. For ``shared_for`` seconds one reading of all queues, or of
    all workers, answers everyone who asks.

    >>> from windlass import Windlass
    >>> from windlass.web import api
    >>> app = Windlass("sqlite:///:memory:")
    >>> asgi = api(app)
    >>> app.close()
    """
    key = secret if secret is not None else f"{app.url} {app.client.namespace}"
    serving = _Serving(
        app,
        security=_gatekeeper(app, auth) if security is None else security,
        deadline=deadline,
        cursors=Cursors(key.encode() if isinstance(key, str) else key),
        readings=SharedReadings(app, seconds=shared_for),
        routes=routes,
        environment=environment,
    )
    return serving.application()


def _gatekeeper(app: Windlass, auth: Authenticate | None) -> Gatekeeper:
    return Closed() if auth is None else Security(app, SecuritySettings(authenticate=auth))


class _Serving:
    """Answers requests: admit, read, act, write."""

    def __init__(
        self,
        app: Windlass,
        *,
        security: Gatekeeper,
        deadline: float,
        cursors: Cursors,
        readings: SharedReadings,
        routes: Sequence[Route],
        environment: str,
    ) -> None:
        self._app = app
        self._security = security
        self._deadline = deadline
        self._cursors = cursors
        self._readings = readings
        self._routes = routes
        self._environment = environment

    def application(self) -> ASGIApp:
        """All routes, by path."""
        by_path: dict[str, dict[str, Route]] = {}
        for route in self._routes:
            by_path.setdefault(route.path, {})[route.method] = route
        mounted = [Mounted(path, _Endpoint(self, rows)) for path, rows in by_path.items()]
        return SecureHeaders(Router(mounted, redirect_slashes=False, default=_nowhere))

    async def answer(self, request: Request, route: Route) -> Response:
        """The answer to one request, whatever happens."""
        call: Call[Any, Any] = Call(
            app=self._app,
            request=request,
            identity=ANONYMOUS,
            path={},
            query=None,
            body=None,
            cursors=self._cursors,
            readings=self._readings,
            routes=self._routes,
            environment=self._environment,
        )
        body = request.state.sent_body = SentBody(request, route.most_bytes)
        try:
            call = replace(call, identity=await self._security.admit(request, route.role))
            call = replace(
                call,
                path=read_path(request.path_params),
                query=read_query(request, route.query),
                body=await read_body(request, route, body),
            )
            async with asyncio.timeout(self._seconds(call, route)):
                given = await self._handled(call, route)
            if route.action is not None:
                await self._note(call, route.action, given)
        except Exception as error:  # the top of a request: every error becomes a problem document
            if isinstance(error, TimeoutError) and route.action is not None:
                error = OutcomeUnknown(f"{route.method} {route.path} took too long")
            problem = problem_of(error, fields=field_names(route))
            return problem.response() if route.show_problem is None else route.show_problem(call, problem)
        return _response(given, route)

    async def _handled(self, call: Call[Any, Any], route: Route) -> object:
        try:
            return await route.handler(call)
        finally:
            # Who changes something sees it at once. Programs that enqueue and work come all the time, and may see it a
            # moment later.
            if route.action is not None and route.role is not Role.WORKER:
                self._readings.forget()

    def _seconds(self, call: Call[Any, Any], route: Route) -> float:
        """Within which a request is answered."""
        seconds = self._deadline if route.seconds is None else route.seconds
        return seconds if route.waits is None else seconds + route.waits(call)

    async def _note(self, call: Call[Any, Any], action: str, given: object) -> None:
        said = given if isinstance(given, Answer) else Answer()
        target = said.target if said.target is not None else " ".join(call.path.values())
        await self._security.changed(call.identity, action, target, said.count)


class _Endpoint:
    """All methods of one path."""

    def __init__(self, serving: _Serving, rows: Mapping[str, Route]) -> None:
        self._serving = serving
        self._rows = rows
        self._allowed = ", ".join(sorted({*rows, *(["HEAD"] if "GET" in rows else [])}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        row = self._rows.get("GET" if request.method == "HEAD" else request.method)
        if row is None:
            detail = f"{request.method} is not possible here, only {self._allowed}"
            response = Problem(405, "Method not allowed", detail, headers={"Allow": self._allowed}).response()
        else:
            response = await self._serving.answer(request, row)
        await response(scope, receive, send)


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Nothing is at this path."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000, "reason": ""})
        return
    await not_found("there is nothing at this path; see /api/v1/openapi.json").response()(scope, receive, send)


def _response(given: object, route: Route) -> Response:
    if isinstance(given, Response):
        return given
    said = given if isinstance(given, Answer) else Answer(given)
    if isinstance(said.value, Response):
        return said.value
    status = route.status if said.status is None else said.status
    headers = {"Cache-Control": "no-store", **said.headers}
    if route.answer is None:
        return Response(None, status, headers)
    return Response(msgspec.json.encode(said.value), status, headers, "application/json")
