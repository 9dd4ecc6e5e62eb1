"""The buttons: forms that change something and lead back to a page. They work without scripts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse

from windlass.errors import IllegalTransition
from windlass.web.route import Call
from windlass.web.site.page import base_of

Action = Callable[[Call[Any, Any]], Awaitable[str]]
"""Changes something; the path of the page that shows it afterwards."""


def leading_back(action: Action) -> Callable[[Call[Any, Any]], Awaitable[object]]:
    """The handler of a form."""

    async def handler(call: Call[Any, Any]) -> RedirectResponse:
        path = await action(call)
        return RedirectResponse(base_of(call.request) + path, status_code=303)

    return handler


async def retry_job(call: Call[Any, Any]) -> str:
    id = call.path["id"]
    await call.app.aretry(id, by=call.by)
    return _job(id)


async def cancel_job(call: Call[Any, Any]) -> str:
    id = call.path["id"]
    if not await call.app.acancel(id, by=call.by):
        raise IllegalTransition(f"job {id} has ended; it cannot be cancelled")
    return _job(id)


async def delete_job(call: Call[Any, Any]) -> str:
    await (await call.app.ajob(call.path["id"])).adelete()
    return "/jobs"


async def pause_queue(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    await call.app.queue(name).apause(by=call.by)
    return f"/queues/{quote(name, safe='')}"


async def resume_queue(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    await call.app.queue(name).aresume(by=call.by)
    return f"/queues/{quote(name, safe='')}"


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
    return _job((await one.arun_now()).id)


async def pause_schedule(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    await (await call.app.aschedule(name)).apause(by=call.by)
    return f"/schedules/{quote(name, safe='')}"


async def resume_schedule(call: Call[Any, Any]) -> str:
    name = call.path["name"]
    await (await call.app.aschedule(name)).aresume()
    return f"/schedules/{quote(name, safe='')}"


def _job(id: str) -> str:
    return f"/jobs/{quote(id, safe='')}"
