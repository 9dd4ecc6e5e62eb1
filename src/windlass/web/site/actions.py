"""The buttons: forms that change something and lead back to a page. They work without scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from windlass.web.route import Answer, Call
from windlass.web.site.done import Done, WayBack, place_of, telling
from windlass.web.site.page import base_of

Action = Callable[[Call[Any, Any]], Awaitable[str | Done | Answer]]
"""Changes something; the path of the page that shows it afterwards, alone or with what it tells, or an answer of which
this is the value.
"""


def leading_back(action: Action) -> Callable[[Call[Any, Any]], Awaitable[object]]:
    """The handler of a form."""

    async def handler(call: Call[Any, Any]) -> Answer:
        done = await action(call)
        said = done if isinstance(done, Answer) else Answer(done)
        if isinstance(said.value, Response):
            return said
        headers = dict(said.headers)
        if isinstance(said.value, Done):
            headers |= telling(call, said.value)
        path = said.value.path if isinstance(said.value, Done) else said.value
        return replace(said, value=RedirectResponse(f"{base_of(call.request)}{path}", 303, headers))

    return handler


async def pause_worker(call: Call[Any, Any]) -> Done:
    id = call.path["id"]
    await call.app.apause_worker(id, by=call.by)
    back = WayBack("Resume it", place_of("workers", id, "resume"))
    return Done("/workers", f"Worker {id} takes no more jobs.", back)


async def resume_worker(call: Call[Any, Any]) -> Done:
    id = call.path["id"]
    await call.app.aresume_worker(id, by=call.by)
    back = WayBack("Quiet it again", place_of("workers", id, "pause"))
    return Done("/workers", f"Worker {id} takes jobs again.", back)


async def stop_worker(call: Call[Any, Any]) -> Done:
    await call.app.astop_worker(call.path["id"], by=call.by)
    return Done("/workers", f"Worker {call.path['id']} is asked to stop.")


async def run_schedule(call: Call[Any, Any]) -> str:
    one = await call.app.aschedule(call.path["name"])
    return job_path((await one.arun_now()).id)


async def resume_schedule(call: Call[Any, Any]) -> Done:
    one = await call.app.aschedule(call.path["name"])
    back = WayBack("Pause it again", f"{schedule_path(one.name)}/pause", {"reason": one.record.paused_reason or ""})
    await one.aresume()
    return Done(schedule_path(one.name), f"{one.name} fires again.", back)


def schedule_path(name: str) -> str:
    """The page of a schedule."""
    return f"/schedules/{quote(name, safe='')}"


def job_path(id: str) -> str:
    """The page of a job."""
    return f"/jobs/{quote(id, safe='')}"
