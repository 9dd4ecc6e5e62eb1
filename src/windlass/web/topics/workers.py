"""Workers: look at, pause, resume, stop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from windlass.clock import iso
from windlass.errors import IllegalTransition
from windlass.insight import json_forms
from windlass.insight.redact import redacted_text
from windlass.insight.workers import WorkerView
from windlass.web.problems import Problem, not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import workers as shapes

_TOPIC = "Workers"
_PATIENCE = 25
"""Seconds that a worker may take to say where its threads are."""
_WORKER = f"{PREFIX}/workers/{{id}}"


async def list_workers(call: Call[shapes.WorkersQuery, None]) -> dict[str, object]:
    """All workers, or those that are lost, or those that live."""
    lost = call.query.lost
    seen = await call.readings.workers()
    chosen = [one for one in seen.value if lost is msgspec.UNSET or lost is not one.is_alive]
    return {**json_forms.workers(chosen), "read_at": iso(seen.at)}


async def show_worker(call: Call[Nothing, None]) -> dict[str, object]:
    """One worker."""
    found = await _called(call)
    if not found:
        raise _unknown(call)
    return json_forms.worker(found[0])


async def show_stacks(call: Call[Nothing, None]) -> dict[str, object]:
    """Where its threads and coroutines are; the worker is asked through the store, which takes about two seconds."""
    found = await call.app.aworker_stacks(call.path["id"], timeout=_PATIENCE)
    if not found:
        if not await _called(call):
            raise _unknown(call)
        detail = (
            f"worker {call.path['id']} has not answered within {_PATIENCE} s; it may hang: kill -USR1 PID logs them"
        )
        raise Problem(504, "No answer", detail)
    return {"workers": [{"id": id, "stacks": redacted_text(text)} for id, text in found.items()]}


async def pause(call: Call[Nothing, None]) -> Answer:
    """Let it claim no more."""
    return await _order(call, "pause", lambda id: call.app.apause_worker(id, by=call.by))


async def resume(call: Call[Nothing, None]) -> Answer:
    """Let it claim again."""
    return await _order(call, "resume", lambda id: call.app.aresume_worker(id, by=call.by))


async def stop(call: Call[Nothing, None]) -> Answer:
    """Let it finish and leave."""
    return await _order(call, "stop", lambda id: call.app.astop_worker(id, by=call.by))


async def _order(call: Call[Nothing, None], order: str, ask: Callable[[str], Awaitable[int]]) -> Answer:
    id = call.path["id"]
    reached = await ask(id)
    if not reached:
        found = await _called(call)
        if not found:
            raise _unknown(call)
        raise IllegalTransition(f"worker {id} was asked to stop by {found[0].signalled_by}; that cannot be taken back")
    return Answer({"worker": id, "order": order, "reached": reached}, count=reached)


async def _called(call: Call[Nothing, None]) -> list[WorkerView]:
    id = call.path["id"]
    return [worker for worker in await call.app.aworkers() if id in (worker.id, worker.name)]


def _unknown(call: Call[Nothing, None]) -> Problem:
    return not_found(f"no worker has the name or id {call.path['id']!r}")


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/workers",
        handler=list_workers,
        summary="Workers that live, and those that were lost within a day.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.WorkersQuery,
        answer=shapes.Workers,
    ),
    Route(
        method="GET",
        path=_WORKER,
        handler=show_worker,
        summary="One worker, by its id or name.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Worker,
        problems=(404,),
    ),
    Route(
        method="GET",
        path=f"{_WORKER}/stacks",
        handler=show_stacks,
        summary="Where the threads and coroutines of a live worker are at this moment.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=shapes.Stacks,
        problems=(404, 409, 504),
        seconds=_PATIENCE + 5,
    ),
    *(
        Route(
            method="POST",
            path=f"{_WORKER}/{order}",
            handler=handler,
            summary=summary,
            topic=_TOPIC,
            role=Role.OPERATOR,
            answer=shapes.WorkerAsked,
            action=f"worker.{order}",
            problems=(404, 409),
        )
        for order, handler, summary in (
            ("pause", pause, "Let a worker claim no more; what it runs goes on."),
            ("resume", resume, "Let a paused worker go on."),
            ("stop", stop, "Let a worker finish what runs, within its grace time, and leave."),
        )
    ),
)
