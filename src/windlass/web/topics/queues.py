"""Queues: look at, pause, set up, empty."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from windlass import clock
from windlass.clock import iso
from windlass.core import validate
from windlass.core.rates.cooldown import Cooldown
from windlass.core.retry import Retry
from windlass.core.state import WAITING
from windlass.errors import IllegalTransition
from windlass.insight import json_forms
from windlass.insight.job_filter import filter_of
from windlass.insight.overview import QueueView, queue_view
from windlass.options.queues import QueueSettings
from windlass.queue import Queue
from windlass.retention import Retention
from windlass.store.operations.jobs import change_page, deleting
from windlass.store.operations.queues import ALL
from windlass.web.etags import ANY, changed_meanwhile, check_tag, etag_of, given_tag
from windlass.web.problems import bad_input, not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import queues as shapes

_TOPIC = "Queues"
_QUEUE = f"{PREFIX}/queues/{{name}}"
_SECONDS = 2.0
"""After so long a purge begins no other page."""


async def list_queues(call: Call[Nothing, None]) -> dict[str, object]:
    """All queues."""
    seen = await call.readings.overview()
    return {**json_forms.queues(seen.value.queues, seen.value.everywhere), "read_at": iso(seen.at)}


async def show_queue(call: Call[Nothing, None]) -> Answer:
    """One queue, with the tag of its settings."""
    view = await _view(call)
    return Answer(json_forms.queue(view), headers={"ETag": settings_tag(view.settings)})


async def peek(call: Call[shapes.PeekQuery, None]) -> dict[str, object]:
    """The next jobs of a queue."""
    queue = await existing_queue(call)
    return {"jobs": [json_forms.job_summary(job) for job in await queue.apeek(call.query.limit)]}


async def pause(call: Call[Nothing, shapes.PauseOrder]) -> dict[str, object]:
    """Claim no more of its jobs."""
    queue = await existing_queue(call, or_all=True)
    await queue.apause(call.body.reason, by=call.by)
    return _paused(queue, True)


async def resume(call: Call[Nothing, None]) -> dict[str, object]:
    """Go on claiming."""
    queue = await existing_queue(call, or_all=True)
    await queue.aresume(by=call.by)
    return _paused(queue, False)


async def change(call: Call[Nothing, shapes.QueueOrder]) -> Answer:
    """Change settings, unless others have changed them since they were read."""
    given = {name: getattr(call.body, name) for name in call.body.__struct_fields__}
    said = {name: value for name, value in given.items() if value is not msgspec.UNSET}
    if not said:
        raise bad_input("nothing to change: name a setting")
    settings = await change_settings(call, said, seen=given_tag(call.request))
    return Answer(json_forms.queue_settings(settings), headers={"ETag": settings_tag(settings)})


async def change_settings(call: Call[Any, Any], said: dict[str, Any], *, seen: str) -> QueueSettings:
    """Change what is said of the queue that the path names, unless its settings have another tag than ``seen``."""
    queue = _named(call, or_all=True)
    if queue.name == ALL and said.keys() != {"max_running"}:
        raise bad_input("all queues together have max_running only; other settings are a queue's own")
    now = await queue.asettings()
    check_tag(seen, _identified(now))
    since: dict[str, Any] = {} if seen == ANY else {"unchanged_since": now.changed_at}
    try:
        await queue.aconfigure(by=call.by, **since, **_changes(said, now))
    except IllegalTransition:
        raise changed_meanwhile() from None
    return await queue.asettings()


async def purge(call: Call[Any, Any]) -> Answer:
    """Delete what waits."""
    queue, session = await existing_queue(call), call.app.client.session
    deleted, until = 0, clock.monotonic() + _SECONDS
    for state in WAITING:
        filter = filter_of({"state": state, "queue": queue.name})
        before: int | None = None
        while True:
            page = await session.arun(change_page(filter, deleting(filter), cursor=before))
            deleted, before = deleted + page.changed, page.next
            if before is None:
                break
            if clock.monotonic() >= until:
                return Answer({"queue": queue.name, "deleted": deleted, "complete": False}, count=deleted)
    return Answer({"queue": queue.name, "deleted": deleted, "complete": True}, count=deleted)


async def delete(call: Call[Nothing, None]) -> None:
    """Remove a queue."""
    await (await existing_queue(call)).adelete()


async def _view(call: Call[Any, Any]) -> QueueView:
    name = _named(call).name
    found = await call.app.client.session.arun(queue_view(name))
    if found is None:
        raise not_found(f"no queue is called {name!r}")
    return found


async def existing_queue(call: Call[Any, Any], *, or_all: bool = False) -> Queue:
    """The queue, if there is one of this name: a typing error must not make a new one."""
    queue = _named(call, or_all=or_all)
    if queue.name != ALL and queue.name not in [one.name for one in await call.app.aqueues()]:
        raise not_found(f"no queue is called {queue.name!r}")
    return queue


def _named(call: Call[Any, Any], *, or_all: bool = False) -> Queue:
    name = call.path["name"]
    return Queue(call.app, name if name == ALL and or_all else validate.queue_name(name))


def _paused(queue: Queue, is_paused: bool) -> dict[str, object]:
    return {"queue": None if queue.name == ALL else queue.name, "paused": is_paused}


def _identified(settings: QueueSettings) -> dict[str, object]:
    """What the tag is made of."""
    return json_forms.queue_settings(settings)


def settings_tag(settings: QueueSettings) -> str:
    """The tag of the settings of a queue."""
    return etag_of(_identified(settings))


def _changes(said: dict[str, Any], now: QueueSettings) -> dict[str, Any]:
    """The settings in the types of the API; what a rule leaves out stays as it is."""
    rules: dict[str, Any] = {"retention": now.retention or Retention(), "retry": now.retry or Retry()}
    changes = dict(said)
    for name, rule in rules.items():
        if changes.get(name) is not None:
            changes[name] = replace(rule, **_fields(changes[name]))
    if changes.get("cooldown") is not None:
        changes["cooldown"] = msgspec.structs.replace(now.cooldown or Cooldown(), **_fields(changes["cooldown"]))
    return changes


def _fields(rule: msgspec.Struct) -> dict[str, Any]:
    given = {name: getattr(rule, name) for name in rule.__struct_fields__}
    return {name: value for name, value in given.items() if value is not msgspec.UNSET}


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/queues",
        handler=list_queues,
        summary="All queues with their counts, settings and workers.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Queues,
    ),
    Route(
        method="GET",
        path=_QUEUE,
        handler=show_queue,
        summary="One queue; its ETag is what a change of its settings needs.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Queue,
        problems=(404,),
    ),
    Route(
        method="PATCH",
        path=_QUEUE,
        handler=change,
        summary="Change settings of a queue, which need not exist yet; of * how many jobs of all run at once.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.QueueOrder,
        answer=shapes.QueueSettings,
        action="queue.change",
        problems=(412, 428),
    ),
    Route(
        method="DELETE",
        path=_QUEUE,
        handler=delete,
        summary="Delete a queue with its settings and its finished jobs, unless jobs wait or run.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=None,
        status=204,
        action="queue.delete",
        problems=(404, 409),
        seconds=60.0,
    ),
    Route(
        method="GET",
        path=f"{_QUEUE}/jobs",
        handler=peek,
        summary="The next jobs of a queue in the order in which they will run.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.PeekQuery,
        answer=shapes.PeekedJobs,
        problems=(404,),
    ),
    Route(
        method="POST",
        path=f"{_QUEUE}/pause",
        handler=pause,
        summary="Claim no more of a queue's jobs, on all machines; * for all queues.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.PauseOrder,
        is_body_needed=False,
        answer=shapes.Paused,
        action="queue.pause",
        problems=(404,),
    ),
    Route(
        method="POST",
        path=f"{_QUEUE}/resume",
        handler=resume,
        summary="Go on after a pause or a cool-down; * after a pause of all queues.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        answer=shapes.Paused,
        action="queue.resume",
        problems=(404,),
    ),
    Route(
        method="POST",
        path=f"{_QUEUE}/purge",
        handler=purge,
        summary="Delete all jobs of a queue that wait.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=shapes.Purged,
        action="queue.purge",
        problems=(404,),
        seconds=20.0,
    ),
)
