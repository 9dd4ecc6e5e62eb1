"""The buttons: forms that change something and lead back to a page. They work without scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from windlass.web.route import Answer, Call
from windlass.web.site.page import base_of

Action = Callable[[Call[Any, Any]], Awaitable[str | Answer]]
"""Changes something; the path of the page that shows it afterwards, or an answer of which it is the value."""


def leading_back(action: Action) -> Callable[[Call[Any, Any]], Awaitable[object]]:
    """The handler of a form."""

    async def handler(call: Call[Any, Any]) -> Answer:
        done = await action(call)
        said = done if isinstance(done, Answer) else Answer(done)
        if isinstance(said.value, Response):
            return said
        return replace(said, value=RedirectResponse(f"{base_of(call.request)}{said.value}", status_code=303))

    return handler


async def pause_worker(call: Call[Any, Any]) -> str:
    await call.app.apause_worker(call.path["id"], by=call.by)
    return "/workers"


async def resume_worker(call: Call[Any, Any]) -> str:
    await call.app.aresume_worker(call.path["id"], by=call.by)
    return "/workers"


async def stop_worker(call: Call[Any, Any]) -> str:
    await call.app.astop_worker(call.path["id"], by=call.by)
    return "/workers"


async def run_schedule(call: Call[Any, Any]) -> str:
    one = await call.app.aschedule(call.path["name"])
    return job_path((await one.arun_now()).id)


async def resume_schedule(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    await (await call.app.aschedule(name)).aresume()
    return schedule_path(name)


def schedule_path(name: str) -> str:
    """The page of a schedule."""
    return f"/schedules/{quote(name, safe='')}"


def job_path(id: str) -> str:
    """The page of a job."""
    return f"/jobs/{quote(id, safe='')}"
