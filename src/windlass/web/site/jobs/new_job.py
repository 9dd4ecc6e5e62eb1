"""The form that makes a job of a known task, or of a job that is there with other arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from windlass.core.codec.envelope import read_envelope
from windlass.core.validate import listed
from windlass.errors import PayloadError, WindlassError
from windlass.insight.payload import PayloadView, parameters_of
from windlass.insight.redact import MASK
from windlass.job import Job
from windlass.task import Request, Task, complete
from windlass.web.problems import Problem, bad_input, problem_of
from windlass.web.route import Answer, Call, Nothing
from windlass.web.security.roles import Role
from windlass.web.shapes.jobs import NewJob
from windlass.web.site import formats
from windlass.web.site.actions import job_path
from windlass.web.site.jobs.job import read_job
from windlass.web.site.jobs.origins import origin_tag
from windlass.web.site.page import Page, rendered
from windlass.web.topics.jobs.enqueue import check_allowed, checked_request

MOST_BYTES = 2 * 1024 * 1024
_MENDED = (400, 409, 413, 422)
"""The problems that a person mends in the form."""
_KNOWN_FROM = "24h"
_MOST_SIGNATURES = 100


class NewJobQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """With which task the form begins."""

    task: str = ""


class NewJobForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was typed."""

    task: str = ""
    args: str = ""
    kwargs: str = ""
    queue: str = ""
    delay: str = ""
    priority: str = ""
    tags: str = ""
    id: str = ""


async def show_new_job(call: Call[NewJobQuery, None]) -> Page:
    """An empty form."""
    return await _form_page(call, NewJobForm(task=call.query.task))


async def make_job(call: Call[Nothing, NewJobForm]) -> Answer:
    """Enqueue what the form says, as the API does; where something is wrong, the form says at which field."""
    form = call.body
    try:
        given = msgspec.convert({"task": form.task or _missing("task"), **_values(form)}, NewJob)
        return await _enqueued(call, checked_request(call, given, ""))
    except (Problem, WindlassError, msgspec.ValidationError) as error:
        return await _shown_again(call, form, error, None)


async def show_edit(call: Call[Nothing, None]) -> Page:
    """The form with the arguments of a job, secrets masked: what stays masked is taken from the job itself."""
    job = await read_job(call)
    return await _form_page(call, _form_of(job, parameters_of(job.task, call.app.tasks)), job=job)


async def run_again(call: Call[Nothing, NewJobForm]) -> Answer:
    """Make a new job out of one that is there, and link both."""
    form, job = call.body, await read_job(call)
    try:
        return await _enqueued(call, _again(call, job, form))
    except (Problem, WindlassError, msgspec.ValidationError) as error:
        return await _shown_again(call, form, error, job)


async def _enqueued(call: Call[Any, Any], request: Request) -> Answer:
    [made] = await call.app.aenqueue_many([request])
    return Answer(job_path(made.id), target=made.id)


def _again(call: Call[Any, Any], job: Job[Any], form: NewJobForm) -> Request:
    values = _values(form)
    before = read_envelope(job.record.payload)
    names = parameters_of(job.task, call.app.tasks)
    masked = PayloadView.of(job.record.payload, names)
    payload = {
        "v": 1,
        "args": _unmasked(values.pop("args"), masked.args, before.args),
        "kwargs": _unmasked(values.pop("kwargs"), masked.kwargs, before.kwargs),
    }
    given = msgspec.convert({"task": job.task, **values}, NewJob)
    args, kwargs = call.app.client.decode_call(job.task, msgspec.json.encode(payload).decode())
    tags = [tag for tag in (*(values.get("tags") or []), origin_tag(job.id)) if tag is not None]
    options: dict[str, Any] = {
        name: getattr(given, name)
        for name in ("queue", "priority", "delay", "id")
        if getattr(given, name) is not msgspec.UNSET
    }
    options |= {"tags": list(dict.fromkeys(tags)), "correlation_id": job.correlation_id, "meta": job.meta}
    try:
        request = complete(call.app.request(job.task, args, kwargs, **options))
    except TypeError as error:  # the arguments do not fit the task's function
        raise Problem(422, "Arguments do not fit", str(error), field="args") from error
    check_allowed(call, request)
    return request


def _unmasked(given: object, masked: object, before: object) -> object:
    """What was typed, with the value of the job wherever its mask was left as it is."""
    if given == MASK and masked == MASK:
        return before
    match given, masked, before:
        case dict(), Mapping(), Mapping():
            return {name: _unmasked(value, masked.get(name), before.get(name)) for name, value in given.items()}
        case list(), list(), list() if len(given) == len(masked) == len(before):
            return [_unmasked(*three) for three in zip(given, masked, before, strict=True)]
    if given == MASK:
        raise bad_input("a masked value was moved; type its value, or leave it where it was", field="args")
    return given


def _values(form: NewJobForm) -> dict[str, Any]:
    """The fields in the types of the API; a ``Problem`` names the one that cannot be read."""
    values: dict[str, Any] = {
        "args": _json(form.args, "args", list, 'a list, as in [42, "hello"]'),
        "kwargs": _json(form.kwargs, "kwargs", dict, 'an object, as in {"user_id": 42}'),
    }
    if form.priority:
        try:
            values["priority"] = int(form.priority)
        except ValueError:
            raise bad_input(f"priority must be a whole number, got {form.priority!r}", field="priority") from None
    if form.tags:
        values["tags"] = listed(form.tags)
    return values | {name: text for name in ("queue", "delay", "id") if (text := getattr(form, name).strip())}


def _json(text: str, name: str, kind: type, example: str) -> Any:
    try:
        value = msgspec.json.decode(text.encode()) if text.strip() else kind()
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise bad_input(f"{name} is no JSON: {str(error)[:200]}", field=name) from None
    if not isinstance(value, kind):
        raise bad_input(f"{name} must be {example}", field=name)
    return value


def _missing(name: str) -> str:
    raise bad_input(f"{name} is missing", field=name)


async def _shown_again(call: Call[Any, Any], form: NewJobForm, error: Exception, job: Job[Any] | None) -> Answer:
    """The same form with what is wrong; what cannot be mended in it is shown as any other problem."""
    if isinstance(error, msgspec.ValidationError):
        field = str(error).rpartition("$.")[2].rstrip("`") or None
        error = bad_input(str(error).partition(" - at")[0], field=field)
    problem = problem_of(error, fields=NewJobForm.__struct_fields__)
    if isinstance(error, PayloadError):
        problem.field = problem.field or "args"
    if problem.status not in _MENDED:
        raise problem
    page = await _form_page(call, form, job=job, problem=problem)
    response: Response = rendered(call, page)
    return Answer(response, count=0)


async def _form_page(
    call: Call[Any, Any], form: NewJobForm, *, job: Job[Any] | None = None, problem: Problem | None = None
) -> Page:
    known = [] if job is not None else await _known_tasks(call)
    task = next((one for one in call.app.tasks if one.name == form.task), None)
    shown = {
        "form_values": form,
        "job": job,
        "problem": problem,
        "tasks": known,
        "is_closed_list": bool(call.app.tasks),
        "signature": None if task is None else _signature(task),
        "signatures": {} if job or task else {one.name: _signature(one) for one in call.app.tasks[:_MOST_SIGNATURES]},
        "is_admin": call.identity.role is Role.ADMIN,
    }
    title = "Enqueue a job" if job is None else "Edit and run again"
    status = 200 if problem is None else problem.status
    return Page("new_job.html", title, shown, here="/jobs", status=status, is_live=False)


class _Written(str):
    """A part of a signature that is shown as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(task: Task[..., Any]) -> str:
    """What a task takes, as its code says; but not its defaults, which may be secrets."""
    signature = task.shape.signature

    def written(annotation: object) -> object:
        return _Written(annotation) if isinstance(annotation, str) else annotation

    parameters = [
        one.replace(
            annotation=written(one.annotation), default=one.default if one.default is one.empty else _Written("…")
        )
        for one in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=written(signature.return_annotation)))


async def _known_tasks(call: Call[Any, Any]) -> list[str]:
    """Those of the app; where it has none, those that have run within a day."""
    if call.app.tasks:
        return sorted(task.name for task in call.app.tasks)
    figures = await call.app.afigures(range=_KNOWN_FROM, by="task")
    return sorted(figures.by)


def _form_of(job: Job[Any], parameters: list[str]) -> NewJobForm:
    view = PayloadView.of(job.record.payload, parameters)
    if view.is_unreadable or not isinstance(view.args, list):
        raise Problem(409, "Not readable", "the arguments of this job cannot be read here, so they cannot be edited")
    return NewJobForm(
        task=job.task,
        args=formats.json_lines(view.args),
        kwargs=formats.json_lines(view.kwargs),
        queue=job.queue,
        priority=str(job.priority),
        tags=", ".join(tag for tag in job.tags if not tag.startswith("rerun=")),
    )
