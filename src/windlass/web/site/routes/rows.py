"""The kinds of rows: pages with their streams, buttons, pages with a form, files, what is there before a login."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
from starlette.responses import HTMLResponse, RedirectResponse, Response

from windlass.web.problems import Problem
from windlass.web.route import Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.site import actions
from windlass.web.site.forms.form_page import ShowAgain, can_be_mended
from windlass.web.site.live import stream
from windlass.web.site.page import Page, rendered
from windlass.web.site.pages import login
from windlass.web.site.pages.errors import error_page
from windlass.web.streams.reader import EVERY
from windlass.web.streams.response import EventStream

TOPIC = "Pages"


Build = Callable[[Call[Any, Any]], Awaitable[Page]]


def page(
    path: str, build: Build, summary: str, query: type[msgspec.Struct] = Nothing, *, every: float = EVERY
) -> Iterator[Route]:
    """A page and the stream that brings it up to date."""

    async def handler(call: Call[Any, Any]) -> HTMLResponse:
        return rendered(call, await build(call))

    yield Route(
        method="GET",
        path=path,
        handler=handler,
        summary=summary,
        topic=TOPIC,
        role=Role.VIEWER,
        answer=HTMLResponse,
        query=query,
        show_problem=_show_problem,
    )
    yield Route(
        method="GET",
        path=f"/live{path.rstrip('/')}",
        handler=stream(build, every=every),
        summary=f"{summary.rstrip('.')}: what changes.",
        topic=TOPIC,
        role=Role.VIEWER,
        answer=EventStream,
        query=query,
    )


def button(
    path: str,
    action: actions.Action,
    name: str,
    summary: str,
    role: Role = Role.OPERATOR,
    *,
    form: type[msgspec.Struct] = Nothing,
    again: ShowAgain | None = None,
    seconds: float | None = None,
) -> Route:
    """A form that changes something; ``form`` is what it sends beside the token of the session, ``again`` shows it when
    it was refused.
    """
    return Route(
        method="POST",
        path=path,
        handler=actions.leading_back(action),
        summary=summary,
        topic=TOPIC,
        role=role,
        answer=RedirectResponse,
        status=303,
        form=form,
        action=name,
        seconds=seconds,
        show_problem=_show_problem if again is None else _shown_again(again),
    )


def form_page(
    path: str, build: Build, summary: str, query: type[msgspec.Struct] = Nothing, role: Role = Role.OPERATOR
) -> Route:
    """A page with a form; it is not live."""
    return replace(next(page(path, build, summary, query)), role=role)


def file(path: str, handler: Callable[[Call[Any, Any]], Awaitable[Response]], summary: str) -> Route:
    return Route(
        method="GET",
        path=path,
        handler=handler,
        summary=summary,
        topic=TOPIC,
        role=Role.VIEWER,
        answer=Response,
        show_problem=_show_problem,
    )


def login_row(method: str, path: str, handler: Callable[[Call[Any, Any]], Awaitable[Response]], **row: Any) -> Route:
    """A row of what is there for persons who are not known yet."""
    return Route(
        method=method, path=path, handler=handler, topic=TOPIC, role=None, show_problem=_show_login_problem, **row
    )


def _shown_again(show: ShowAgain) -> Callable[[Call[Any, Any], Problem], Response]:
    """Answers a form that was refused: the same form, if something can be mended in it."""

    def show_problem(call: Call[Any, Any], problem: Problem) -> Response:
        if not can_be_mended(call, problem):
            return _show_problem(call, problem)
        return rendered(call, show(call, problem))

    return show_problem


def _show_problem(call: Call[Any, Any], problem: Problem) -> Response:
    if problem.status == 401 and (response := login.to_login(call.request)):
        return response
    response = rendered(call, error_page(problem, has_login=login.has_login(call.request)))
    response.headers.update(problem.headers)
    return response


def _show_login_problem(call: Call[Any, Any], problem: Problem) -> Response:
    return login.show_refusal(call, problem) or _show_problem(call, problem)
