"""Forms of schedules: add, edit with a preview, pause with a reason, delete, back to what the code says."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.admin.requests import refuse_unknown_task
from windlass.core.schedules.cron import Cron
from windlass.core.schedules.interval import Interval
from windlass.core.schedules.preview import PlannedFire, preview
from windlass.core.schedules.zones import time_zone
from windlass.core.validate import listed
from windlass.errors import ConfigError
from windlass.schedules.schedule import Schedule
from windlass.schedules.settings import interval_text
from windlass.store.operations.schedules.records import ScheduleRecord
from windlass.web.etags import check_tag
from windlass.web.problems import Problem, bad_input
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.actions import schedule_path
from windlass.web.site.done import Done, WayBack
from windlass.web.site.forms.form_page import Refusal, changed, refusal_of, typed, whole_number
from windlass.web.site.forms.queues import PauseForm
from windlass.web.site.page import Page
from windlass.web.site.pages.schedules import CATCH_UPS, OVERLAPS
from windlass.web.topics import schedules as topic

_PREVIEWED = 10
_CALLED = {"zone": "tz", "argument": "args", "arguments": "args"}
"""What messages call fields that the form calls otherwise."""
_TEXTS = ("tz", "jitter", "queue", "timeout", "expires", "overlap", "catch_up")


class ScheduleForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a schedule says, as texts; a blank one is the default, or leaves what cannot be shown as it is."""

    version: str = ""
    old: str = ""
    """The schedule that is edited; blank for a new one."""
    name: str = ""
    task: str = ""
    cron: str = ""
    every: str = ""
    tz: str = ""
    overlap: str = ""
    catch_up: str = ""
    jitter: str = ""
    queue: str = ""
    priority: str = ""
    attempts: str = ""
    timeout: str = ""
    expires: str = ""
    tags: str = ""
    args: str = ""
    kwargs: str = ""


async def new_form(call: Call[Nothing, None]) -> Page:
    """A schedule to be added."""
    return _page(call, typed(ScheduleForm(tz="UTC", overlap="allow", catch_up="latest")))


async def edit_form(call: Call[Nothing, None]) -> Page:
    """What a schedule says, to be changed."""
    one = await call.app.aschedule(call.path["name"])
    if one.problem is not None:
        raise Problem(409, "It cannot be read", one.problem)
    return _page(call, {**texts_of(one), "version": topic.schedule_tag(one.record)})


async def preview_form(call: Call[Nothing, ScheduleForm]) -> Page:
    """The form as it was typed, and when it would fire; nothing is changed."""
    return _page(call, typed(call.body))


def form_again(call: Call[Nothing, ScheduleForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    given = {**typed(call.body), "old": call.path.get("name", "")}
    return _page(call, given, problem=refusal_of(problem, given, aliases=_CALLED))


async def add_schedule(call: Call[Nothing, ScheduleForm]) -> Answer:
    """Add a schedule that no code declares."""
    given = _stripped(call.body)
    name, task = given["name"], given["task"]
    if not name or not task:
        field = "task" if name else "name"
        raise bad_input(f"{field} is missing", field=field)
    refuse_unknown_task(call.app, task)
    if name in [schedule.name for schedule in await call.app.aschedules()]:
        raise Problem(409, "Name taken", f"there is a schedule {name!r} already", field="name")
    blank = dict.fromkeys(given, "")
    await call.app.aadd_schedule(name, task, by=call.by, **changes_of(given, blank))
    return Answer(schedule_path(name), target=name)


async def edit_schedule(call: Call[Nothing, ScheduleForm]) -> str:
    """Change what says something else than before, unless another has changed the schedule since it was read."""
    one = await call.app.aschedule(call.path["name"])
    options = changes_of(_stripped(call.body), texts_of(one))
    if not options:
        raise bad_input("nothing was changed: every field says what it said before")

    def check(record: ScheduleRecord) -> None:
        check_tag(call.body.version, topic.identified(record))

    await one.aedit_if(check, by=call.by, options=options)
    return schedule_path(one.name)


async def pause_schedule(call: Call[Nothing, PauseForm]) -> Done:
    """Fire no more until it is resumed."""
    one = await call.app.aschedule(call.path["name"])
    await one.apause(call.body.reason.strip() or None, by=call.by)
    path = schedule_path(one.name)
    return Done(path, f"{one.name} is paused.", WayBack("Resume", f"{path}/resume"))


async def delete_schedule(call: Call[Nothing, None]) -> str:
    """Remove a schedule that no code declares."""
    await (await call.app.aschedule(call.path["name"])).adelete()
    return "/schedules"


async def reset_schedule(call: Call[Nothing, None]) -> str:
    """Take an operator's changes back."""
    one = await call.app.aschedule(call.path["name"])
    await one.areset()
    return schedule_path(one.name)


def texts_of(one: Schedule) -> dict[str, str]:
    """What a schedule says as the form shows it. Arguments may hold secrets, so they are not shown."""
    said = one.settings
    return {
        **typed(ScheduleForm()),
        "old": one.name,
        "name": one.name,
        "task": one.task,
        "cron": said.cron or "",
        "every": "" if said.every is None else interval_text(said.every),
        "tz": said.tz,
        "overlap": str(said.overlap),
        "catch_up": str(said.catch_up),
        "jitter": interval_text(said.jitter) if said.jitter else "",
        "queue": said.queue,
        "priority": str(said.priority),
        "attempts": str(said.attempts),
        "timeout": "" if said.timeout is None else interval_text(said.timeout),
        "expires": "" if said.expires is None else interval_text(said.expires),
        "tags": ", ".join(said.tags),
    }


def changes_of(given: dict[str, str], before: dict[str, str]) -> dict[str, Any]:
    """What the form changes, as ``schedule.edit`` takes it."""
    said: dict[str, Any] = {name: given[name] for name in _TEXTS if given[name] and changed(given, before, name)}
    for name in ("timeout", "expires"):
        if before[name] and not given[name]:
            said[name] = None
    if before["jitter"] and not given["jitter"]:
        said["jitter"] = 0
    if changed(given, before, "cron", "every"):
        said.update(_timing(given))
    for name in ("priority", "attempts"):
        number = whole_number(given[name], name)
        if number is not None and changed(given, before, name):
            said[name] = number
    if changed(given, before, "tags"):
        said["tags"] = listed(given["tags"])
    if "every" in said and given["tz"] in ("", "UTC"):
        said.pop("tz", None)
    return said | _call(given)


def _timing(given: dict[str, str]) -> dict[str, str]:
    if given["cron"] and given["every"]:
        raise bad_input("give cron or every, not both: leave the other blank", field="every")
    if given["cron"]:
        return {"cron": given["cron"]}
    if given["every"]:
        return {"every": given["every"]}
    raise bad_input("cron is missing: say when it fires, by an expression or by an interval", field="cron")


def _call(given: dict[str, str]) -> dict[str, Any]:
    """The arguments, if any were typed: both together are the new call."""
    said: dict[str, Any] = {}
    for name, kind in (("args", list[Any]), ("kwargs", dict[str, Any])):
        if given[name]:
            try:
                said[name] = msgspec.json.decode(given[name], type=kind)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                what = "a JSON list" if name == "args" else "a JSON object"
                raise bad_input(f"{name} must be {what}: {str(error)[:200]}", field=name) from None
    return said


def _preview(call: Call[Any, Any], given: dict[str, str]) -> tuple[list[PlannedFire], str]:
    """When it would fire and the expression in words, or what is wrong with it."""
    cron, every, zone = given["cron"].strip(), given["every"].strip(), given["tz"].strip() or "UTC"
    try:
        if cron and every:
            return [], "Give an expression or an interval, not both."
        if cron:
            slots = Cron(cron, zone)
            return preview(slots, time_zone(zone), after=call.now, count=_PREVIEWED), slots.explain()
        if every:
            fires = preview(Interval.of(every), time_zone(zone), after=call.now, count=_PREVIEWED)
            return fires, f"Every {every}, counted from the beginning of 1970 in UTC"
    except ConfigError as error:
        return [], str(error)
    return [], "Type an expression or an interval to see when it would fire."


def _page(call: Call[Any, Any], given: dict[str, Any], *, problem: Refusal | None = None) -> Page:
    fires, words = _preview(call, given)
    shown = {
        "given": given,
        "problem": problem,
        "fires": fires,
        "words": words,
        "tasks": sorted(task.name for task in call.app.tasks),
        "overlaps": list(OVERLAPS.items()),
        "catch_ups": list(CATCH_UPS.items()),
    }
    title = f"Edit {given['old']}" if given["old"] else "Add a schedule"
    status = 200 if problem is None else problem.status
    return Page("schedule_form.html", title, shown, here="/schedules", status=status, is_live=False)


def _stripped(form: ScheduleForm) -> dict[str, str]:
    return {name: value.strip() for name, value in typed(form).items()}
