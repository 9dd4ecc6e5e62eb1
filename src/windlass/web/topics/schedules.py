"""Schedules: look at, add, change, run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from windlass.admin.requests import refuse_unknown_task
from windlass.core.units import read_instant
from windlass.insight import json_forms
from windlass.insight.payload import parameters_of
from windlass.schedules.fires import Fire
from windlass.schedules.schedule import Schedule
from windlass.store.operations.schedules.records import ScheduleRecord
from windlass.web.etags import check_match, etag_of
from windlass.web.problems import Problem
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import schedules as shapes
from windlass.web.shapes.queues import PauseOrder

_TOPIC = "Schedules"
_SCHEDULE = f"{PREFIX}/schedules/{{id}}"
_FIRES_SHOWN = 10


async def list_schedules(call: Call[shapes.SchedulesQuery, None]) -> dict[str, object]:
    """All schedules, or those of a task, or those that fire."""
    query = call.query
    task = None if query.task is msgspec.UNSET else query.task
    enabled = None if query.enabled is msgspec.UNSET else query.enabled
    return json_forms.schedules(await call.app.aschedules(task=task, enabled=enabled))


async def add(call: Call[Nothing, shapes.NewSchedule]) -> Answer:
    """Add a schedule that no code declares."""
    given = _given(call.body)
    name, task = given.pop("name"), given.pop("task")
    refuse_unknown_task(call.app, task)
    if name in [schedule.name for schedule in await call.app.aschedules()]:
        raise Problem(409, "Name taken", f"there is a schedule {name!r} already", field="name")
    return _shown(await call.app.aadd_schedule(name, task, by=call.by, **given), target=name)


async def show(call: Call[Nothing, None]) -> Answer:
    """A schedule with its last slots, and the tag of what it says."""
    schedule = await _found(call)
    fires = await schedule.afires(limit=_FIRES_SHOWN)
    form = json_forms.schedule_detail(schedule, fires, parameters_of(schedule.task, call.app.tasks))
    return Answer(form, headers={"ETag": schedule_tag(schedule.record)})


async def edit(call: Call[Nothing, shapes.ScheduleOrder]) -> Answer:
    """Change what it says, unless others have changed it since it was read."""
    schedule = await _found(call)

    def check(record: ScheduleRecord) -> None:
        check_match(call.request, identified(record))

    return _shown(await schedule.aedit_if(check, by=call.by, options=_given(call.body)))


async def reset(call: Call[Nothing, None]) -> Answer:
    """Take an operator's changes back."""
    return _shown(await (await _found(call)).areset())


async def delete(call: Call[Nothing, None]) -> None:
    """Remove it."""
    await (await _found(call)).adelete()


async def run(call: Call[Nothing, None]) -> Answer:
    """Make its job now."""
    schedule = await _found(call)
    job = await schedule.arun_now()
    made = {"schedule": schedule.name, "id": job.id, "state": str(job.state), "duplicate": job.duplicate}
    return Answer(made, 200 if job.duplicate else 201)


async def pause(call: Call[Nothing, PauseOrder]) -> Answer:
    """Fire no more."""
    return _shown(await (await _found(call)).apause(call.body.reason, by=call.by))


async def resume(call: Call[Nothing, None]) -> Answer:
    """Fire again."""
    return _shown(await (await _found(call)).aresume())


async def preview(call: Call[shapes.PreviewQuery, None]) -> dict[str, object]:
    """Its next slots."""
    schedule = await _found(call)
    slots = await call.app.client.session.acall(lambda: schedule.preview(call.query.count))
    return json_forms.preview(schedule, slots)


async def fires(call: Call[shapes.FiresQuery, None]) -> dict[str, object]:
    """What became of its slots."""
    query = call.query
    before = None if query.before is msgspec.UNSET else read_instant(query.before, "before")
    found: Sequence[Fire] = await (await _found(call)).afires(limit=query.limit, before=before)
    return {"fires": [json_forms.fire(one) for one in found]}


async def _found(call: Call[Any, Any]) -> Schedule:
    return await call.app.aschedule(call.path["id"])


def _given(order: shapes.ScheduleOrder) -> dict[str, Any]:
    given = {name: getattr(order, name) for name in order.__struct_fields__}
    return {name: value for name, value in given.items() if value is not msgspec.UNSET}


def _shown(schedule: Schedule, *, target: str | None = None) -> Answer:
    return Answer(json_forms.schedule(schedule), headers={"ETag": schedule_tag(schedule.record)}, target=target)


def identified(record: ScheduleRecord) -> list[object]:
    """What the tag is made of; a fire changes none of it."""
    return [record.definition, record.declared, record.changed_at, record.paused_at, record.paused_reason]


def schedule_tag(record: ScheduleRecord) -> str:
    """The tag of what a schedule says."""
    return etag_of(identified(record))


def _look(path: str, handler: Any, summary: str, answer: Any, **more: Any) -> Route:
    return Route(
        method="GET", path=path, handler=handler, summary=summary, topic=_TOPIC, role=Role.VIEWER, answer=answer, **more
    )


def _order(method: str, path: str, handler: Any, summary: str, action: str, **more: Any) -> Route:
    row: dict[str, Any] = {"topic": _TOPIC, "role": Role.OPERATOR, "answer": shapes.Schedule, "problems": (404,)}
    return Route(
        method=method, path=path, handler=handler, summary=summary, action=f"schedule.{action}", **{**row, **more}
    )


ROUTES = (
    _look(
        f"{PREFIX}/schedules",
        list_schedules,
        "All schedules: when they are due, and when next.",
        shapes.Schedules,
        query=shapes.SchedulesQuery,
    ),
    _order(
        "POST",
        f"{PREFIX}/schedules",
        add,
        "Add a schedule that no code declares.",
        "add",
        body=shapes.NewSchedule,
        status=201,
        problems=(409, 422),
    ),
    _look(
        _SCHEDULE,
        show,
        "One schedule with its last slots; its ETag is what a change of it needs.",
        shapes.ScheduleDetail,
        problems=(404,),
    ),
    _order(
        "PATCH",
        _SCHEDULE,
        edit,
        "Change what a schedule says; the next slot is worked out again.",
        "edit",
        body=shapes.ScheduleOrder,
        problems=(404, 412, 428),
    ),
    _order(
        "DELETE",
        _SCHEDULE,
        delete,
        "Delete a schedule that no code declares.",
        "delete",
        answer=None,
        status=204,
        role=Role.ADMIN,
        problems=(404, 409),
    ),
    _order(
        "POST",
        f"{_SCHEDULE}/run",
        run,
        "Make a schedule's job now, besides its slots; 200 when an equal one was there already.",
        "run",
        answer=shapes.RanSchedule,
        status=201,
        problems=(200, 404),
    ),
    _order(
        "POST",
        f"{_SCHEDULE}/pause",
        pause,
        "Fire no more until it is resumed.",
        "pause",
        body=PauseOrder,
        is_body_needed=False,
    ),
    _order("POST", f"{_SCHEDULE}/resume", resume, "Go on with the first slot from now on.", "resume"),
    _order("POST", f"{_SCHEDULE}/reset", reset, "Take all changes back: what the code says holds again.", "reset"),
    _look(
        f"{_SCHEDULE}/preview",
        preview,
        "The next slots of a schedule.",
        shapes.Preview,
        query=shapes.PreviewQuery,
        problems=(404,),
    ),
    _look(
        f"{_SCHEDULE}/fires",
        fires,
        "What became of a schedule's slots, the newest first.",
        shapes.Fires,
        query=shapes.FiresQuery,
        problems=(404,),
    ),
)
