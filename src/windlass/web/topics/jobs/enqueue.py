"""New jobs, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from windlass.admin.requests import outside_request
from windlass.errors import UnknownTask, WindlassError
from windlass.job import Job
from windlass.task import COMMAND, Request
from windlass.web.problems import Problem, problem_of
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import jobs as shapes

_BODY = 8 * 1024 * 1024
_CALL = ("task", "args", "kwargs")

NewJobs = shapes.NewJob | list[shapes.NewJob]


async def enqueue(call: Call[Nothing, NewJobs]) -> Answer:
    """Make one job, or all of a list or none."""
    given = call.body
    if isinstance(given, shapes.NewJob):
        [job] = await call.app.aenqueue_many([checked_request(call, given, "")])
        return Answer(_made(job), 200 if job.duplicate else 201, target=job.id)
    requests = [checked_request(call, one, f"[{index}].") for index, one in enumerate(given)]
    jobs = await call.app.aenqueue_many(requests)
    return Answer([_made(job) for job in jobs], count=len(jobs), target=_ends(jobs))


def checked_request(call: Call[Any, Any], given: shapes.NewJob, place: str) -> Request:
    """The request, checked; an error names the place in the list."""
    options = {name: getattr(given, name) for name in given.__struct_fields__ if name not in _CALL}
    said = {name: value for name, value in options.items() if value is not msgspec.UNSET}
    try:
        request = outside_request(call.app, given.task, given.args, given.kwargs, said)
    except WindlassError as error:
        problem = problem_of(error, fields=given.__struct_fields__)
        if isinstance(error.__cause__, TypeError):
            problem = Problem(422, "Arguments do not fit", str(error), field="args")
        elif isinstance(error, UnknownTask):
            problem.field = "task"
        problem.field = f"{place}{problem.field}" if problem.field else place.rstrip(".") or None
        raise problem from error
    check_allowed(call, request)
    return request


def check_allowed(call: Call[Any, Any], request: Request) -> None:
    """A token of a worker is for its queues only, and a command, which is any program, is for admins."""
    identity = call.identity
    queue = call.app.client.enqueuer.queue_of(request.task, request.options)
    if identity.queues is not None and queue not in identity.queues:
        raise Problem(403, "Forbidden", f"this token may not enqueue into queue {queue!r}", field="queue")
    name = request.task if isinstance(request.task, str) else request.task.name
    if name == COMMAND and identity.role is not Role.ADMIN:
        raise Problem(403, "Forbidden", "only admins may enqueue commands", field="task")


def _made(job: Job[Any]) -> dict[str, object]:
    return {"id": job.id, "state": str(job.state), "duplicate": job.duplicate, "replaced": job.replaced}


def _ends(jobs: Sequence[Job[Any]]) -> str:
    """The first and the last id."""
    return " ".join(job.id for job in (*jobs[:1], *jobs[1:][-1:]))


ROUTES = (
    Route(
        method="POST",
        path=f"{PREFIX}/jobs",
        handler=enqueue,
        summary="Make a job, or all jobs of a list or none; 200 when a single one was there already.",
        topic="Jobs",
        role=Role.WORKER,
        body=NewJobs,
        answer=shapes.MadeJob | list[shapes.MadeJob],
        status=201,
        action="job.enqueue",
        most_bytes=_BODY,
        problems=(200, 409, 422),
    ),
)
