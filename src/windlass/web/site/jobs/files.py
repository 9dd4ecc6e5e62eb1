"""Arguments and errors of a job as files to keep, secrets masked."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from starlette.responses import Response

from windlass.insight import json_forms
from windlass.insight.payload import parameters_of
from windlass.insight.redact import redacted_text
from windlass.job import Job
from windlass.web.route import Call, Nothing
from windlass.web.site.jobs.job import read_job

_INSIDE = ("fence", "ran_for")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


async def arguments_file(call: Call[Nothing, None]) -> Response:
    """What it was called with."""
    job = await read_job(call)
    whole = json_forms.job_detail(job, parameters_of(job.task, call.app.tasks))
    return _file(job, "arguments", {name: whole[name] for name in ("id", "task", "args", "kwargs")})


async def errors_file(call: Call[Nothing, None]) -> Response:
    """What its attempts raised."""
    job = await read_job(call)
    faults = [msgspec.structs.asdict(fault) for fault in job.errors]
    errors = [{name: _masked(value) for name, value in fault.items() if name not in _INSIDE} for fault in faults]
    return _file(job, "errors", {"id": job.id, "task": job.task, "errors": errors, "left_out": job.errors_left_out})


def _masked(value: object) -> object:
    match value:
        case str():
            return redacted_text(value)
        case list() | tuple():
            return [_masked(member) for member in value]
        case _:
            return value


def _file(job: Job[Any], what: str, value: object) -> Response:
    name = _UNSAFE.sub("-", job.id)[:100]
    headers = {"Content-Disposition": f'attachment; filename="{name}-{what}.json"', "Cache-Control": "no-store"}
    return Response(msgspec.json.format(msgspec.json.encode(value)), 200, headers, "application/json")
