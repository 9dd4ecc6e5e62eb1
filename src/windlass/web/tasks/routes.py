"""The tasks that the process knows; the rate of one: look at, set, follow the code again, resume."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.clock import iso
from windlass.errors import IllegalTransition
from windlass.insight import json_forms
from windlass.insight.limits.tasks import TaskRateView
from windlass.task import Task
from windlass.web.etags import ANY, changed_meanwhile, check_tag, etag_of, given_tag
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import limits as shapes
from windlass.web.shapes.system import Tasks

_TOPIC = "Tasks"
_RATE = f"{PREFIX}/tasks/{{name}}/rate"


async def tasks(call: Call[Nothing, None]) -> dict[str, object]:
    """What this process can enqueue by name."""
    app = call.app
    attempts = app.client.retry.attempts
    known = sorted(app.tasks, key=lambda task: task.name)
    rates = {view.task: view for view in await app.atask_rates()}
    return {
        "tasks": [
            _task(task, app.client.enqueuer.queue_of(task), attempts) | _rate(task, rates.get(task.name))
            for task in known
        ]
    }


def _task(task: Task[..., Any], queue: str, attempts: int) -> dict[str, object]:
    settings = task.settings
    said = (task.function.__doc__ or "").strip().splitlines()
    return {
        "name": task.name,
        "queue": queue,
        "priority": settings.priority,
        "attempts": attempts if settings.retry is None else settings.retry.attempts,
        "timeout": _seconds(settings.time_limit),
        "isolation": settings.isolation or "thread",
        "concurrency": settings.concurrency,
        "expires": _seconds(settings.expiry),
        "cache": _seconds(settings.cached_for),
        "tags": list(settings.tags),
        "doc": said[0] if said else None,
    }


def _rate(task: Task[..., Any], view: TaskRateView | None) -> dict[str, object]:
    """What holds; a rate that no worker has told the store of yet is the code's."""
    if view is None:
        bucket = task.settings.bucket
        burst = None if bucket is None else bucket.burst
        code: dict[str, object] = {"rate": task.settings.rate, "burst": burst, "declared_rate": task.settings.rate}
        return {**code, "rate_changed_at": None, "rate_changed_by": None, "cooling": []}
    return {
        "rate": view.rate,
        "burst": view.burst,
        "declared_rate": view.declared,
        "rate_changed_at": iso(view.changed_at),
        "rate_changed_by": view.changed_by,
        "cooling": [json_forms.cooldown(each) for each in view.cooldowns],
    }


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


async def show_rate(call: Call[Nothing, None]) -> Answer:
    """The rate of a task, with the tag of its settings."""
    return _shown(await _existing(call, call.path["name"]))


async def set_rate(call: Call[Nothing, shapes.TaskRateOrder]) -> Answer:
    """Set it, unless others have changed it since it was read."""
    burst = None if call.body.burst is msgspec.UNSET else call.body.burst
    name = call.path["name"]
    await change_rate(call, name, {"rate": call.body.rate, "burst": burst}, seen=given_tag(call.request))
    return _shown(await _existing(call, name))


async def reset_rate(call: Call[Nothing, None]) -> Answer:
    """Let the code decide again."""
    name = call.path["name"]
    await change_rate(call, name, None, seen=given_tag(call.request))
    return _shown(await call.app.task_rate(name).asettings())


async def change_rate(call: Call[Any, Any], name: str, said: dict[str, Any] | None, *, seen: str) -> None:
    """Set what is said of the rate of a task, unless its settings have another tag than ``seen``; None lets the code
    decide again.
    """
    before = await _existing(call, name)
    check_tag(seen, _identified(before))
    rate = call.app.task_rate(name)
    since: dict[str, Any] = {} if seen == ANY else {"unchanged_since": before.changed_at}
    try:
        if said is None:
            await rate.areset(by=call.by, **since)
        else:
            await rate.aconfigure(by=call.by, **since, **said)
    except IllegalTransition:
        raise changed_meanwhile() from None


async def resume(call: Call[Nothing, None]) -> Answer:
    """End its cool-downs, and have its jobs that wait for that run."""
    await _existing(call, call.path["name"])
    rate = call.app.task_rate(call.path["name"])
    await rate.aresume(by=call.by)
    return _shown(await rate.asettings())


async def _existing(call: Call[Any, Any], name: str) -> TaskRateView:
    """The rate of a task that has one, cools down, or is known here."""
    view = await call.app.task_rate(name).asettings()
    is_known = view.declared or view.changed_at or view.cooldowns or any(task.name == name for task in call.app.tasks)
    if not is_known:
        raise not_found(f"no task {name!r} is declared here, has a rate or cools down")
    return view


def _shown(view: TaskRateView) -> Answer:
    return Answer(json_forms.task_rate(view), headers={"ETag": rate_tag(view)})


def rate_tag(view: TaskRateView) -> str:
    """The tag of the settings of a rate."""
    return etag_of(_identified(view))


def _identified(view: TaskRateView) -> list[object]:
    """What the tag is made of; cool-downs come and go."""
    return [view.rate, view.burst, view.changed_at, view.changed_by]


def _order(method: str, path: str, handler: Any, summary: str, action: str, **more: Any) -> Route:
    row: dict[str, Any] = {"topic": _TOPIC, "role": Role.OPERATOR, "answer": shapes.TaskRate, "problems": (404,)}
    return Route(method=method, path=path, handler=handler, summary=summary, action=action, **{**row, **more})


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/tasks",
        handler=tasks,
        summary="The tasks that the process which answers knows.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=Tasks,
    ),
    Route(
        method="GET",
        path=_RATE,
        handler=show_rate,
        summary="The rate of a task, and what of it cools down; its ETag is what a change needs.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.TaskRate,
        problems=(404,),
    ),
    _order(
        "PUT",
        _RATE,
        set_rate,
        "Set the rate of a task for all processes, whatever the code says; null is no limit.",
        "task.rate",
        body=shapes.TaskRateOrder,
        problems=(404, 412, 428),
    ),
    _order(
        "DELETE",
        _RATE,
        reset_rate,
        "Take the change of a task's rate back: what the code says holds again.",
        "task.rate.reset",
        problems=(404, 412, 428),
    ),
    _order(
        "POST",
        f"{PREFIX}/tasks/{{name}}/resume",
        resume,
        "End the cool-downs of a task and its rate keys; its jobs that wait for that run now.",
        "task.resume",
    ),
)
