"""Jobs: list, look at, cancel, retry, delete."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass import clock
from windlass.client.client import Client
from windlass.client.job_changes import find_record
from windlass.core.state import State
from windlass.errors import IllegalTransition
from windlass.insight import json_forms
from windlass.insight.flows.relatives import family
from windlass.insight.payload import cached_until, parameters_of
from windlass.job import Job
from windlass.steps.view import StepView, step_views
from windlass.store.operation import Operation
from windlass.store.operations.flows.groups import groups_of
from windlass.store.operations.leases import lease_ends
from windlass.web.problems import bad_input
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import jobs as shapes
from windlass.web.topics.jobs.job_filters import page_of_jobs

_TOPIC = "Jobs"
_JOB = f"{PREFIX}/jobs/{{id}}"


async def list_jobs(call: Call[shapes.JobsQuery, None]) -> dict[str, object]:
    """A page of jobs."""
    return await page_of_jobs(call, "jobs")


async def show_job(call: Call[Nothing, None]) -> dict[str, object]:
    """Everything about one job."""
    client = call.app.client
    job, steps, more = await client.session.arun(_whole(client, call.path["id"]))
    return json_forms.job_detail(job, parameters_of(job.task, call.app.tasks), steps, **more)


def _whole(client: Client, id: str) -> Operation[tuple[Job[Any], list[StepView], dict[str, Any]]]:
    job: Job[Any] = Job.of(client, (yield from find_record(id)))
    steps = yield from step_views(job.record.seq)
    cached = yield from cached_until(client, job)
    end = (yield from lease_ends([job.record.seq])).get(job.record.seq) if job.state is State.RUNNING else None
    lease = None if end is None else clock.instant(end.expires_at)
    relatives = yield from family(job.record.seq)
    groups = yield from groups_of(job.record.seq)
    return job, steps, {"cached_until": cached, "lease_expires_at": lease, "family": relatives, "groups": groups}


async def show_timeline(call: Call[Nothing, None]) -> dict[str, object]:
    """What happened to a job."""
    job = await call.app.ajob(call.path["id"])
    return json_forms.timeline(job.id, await job.atimeline())


async def show_why(call: Call[Nothing, None]) -> dict[str, object]:
    """Why a job is not running."""
    job = await call.app.ajob(call.path["id"])
    sentence = await job.awhy()
    return json_forms.why(job, sentence)


async def cancel_job(call: Call[Nothing, shapes.CancelOrder]) -> dict[str, object]:
    """Cancel what waits, ask what runs to stop."""
    id = call.path["id"]
    order = call.body
    cancelled = await call.app.acancel(id, by=call.by, reason=order.reason, descendants=order.descendants)
    job = await call.app.ajob(id)
    if not cancelled:
        raise IllegalTransition(f"job {id} is {job.state}; it cannot be cancelled")
    return _changed(job)


async def retry_job(call: Call[Nothing, shapes.RetryOrder]) -> dict[str, object]:
    """Run it again."""
    id = call.path["id"]
    await call.app.aretry(id, queue=call.body.to_queue, by=call.by)
    return _changed(await call.app.ajob(id))


async def fail_job(call: Call[Nothing, shapes.FailOrder]) -> dict[str, object]:
    """End it as failed, without a retry; code that runs may go on until the next heartbeat of its worker."""
    id = call.path["id"]
    await call.app.afail(id, call.body.reason, by=call.by)
    return _changed(await call.app.ajob(id))


async def reschedule_job(call: Call[Nothing, shapes.RescheduleOrder]) -> dict[str, object]:
    """Move a job that waits to another time."""
    order = call.body
    if (order.delay is msgspec.UNSET) == (order.at is msgspec.UNSET):
        raise bad_input("say when: delay, from now on, or at, an instant", field="delay")
    when = order.at if order.delay is msgspec.UNSET else order.delay
    assert when is not msgspec.UNSET
    return _changed(await (await call.app.ajob(call.path["id"])).areschedule(when))


async def delete_job(call: Call[Nothing, None]) -> None:
    """Remove it."""
    job = await call.app.ajob(call.path["id"])
    await job.adelete()


def _changed(job: Job[Any]) -> dict[str, object]:
    return {"id": job.id, "state": str(job.state)}


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/jobs",
        handler=list_jobs,
        summary="List jobs, the newest first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.JobsQuery,
        answer=shapes.JobList,
    ),
    Route(
        method="GET",
        path=_JOB,
        handler=show_job,
        summary="Everything about one job, secrets masked.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.JobDetail,
        problems=(404,),
    ),
    Route(
        method="GET",
        path=f"{_JOB}/timeline",
        handler=show_timeline,
        summary="What happened to a job, the earliest first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Timeline,
        problems=(404,),
    ),
    Route(
        method="GET",
        path=f"{_JOB}/why",
        handler=show_why,
        summary="Why a job is not running, in a sentence.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.Why,
        problems=(404,),
    ),
    Route(
        method="POST",
        path=f"{_JOB}/cancel",
        handler=cancel_job,
        summary="Cancel a job that waits, or ask one that runs to stop.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.CancelOrder,
        is_body_needed=False,
        answer=shapes.ChangedJob,
        action="job.cancel",
        problems=(404, 409),
    ),
    Route(
        method="POST",
        path=f"{_JOB}/retry",
        handler=retry_job,
        summary="Run a job again with all its attempts; also one that waits for its time.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.RetryOrder,
        is_body_needed=False,
        answer=shapes.ChangedJob,
        action="job.retry",
        problems=(404, 409),
    ),
    Route(
        method="POST",
        path=f"{_JOB}/fail",
        handler=fail_job,
        summary="End a job that waits or runs as failed, without a retry.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.FailOrder,
        is_body_needed=False,
        answer=shapes.ChangedJob,
        action="job.fail",
        problems=(404, 409),
    ),
    Route(
        method="POST",
        path=f"{_JOB}/reschedule",
        handler=reschedule_job,
        summary="Move a job that waits to another time.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.RescheduleOrder,
        answer=shapes.ChangedJob,
        action="job.reschedule",
        problems=(404, 409),
    ),
    Route(
        method="DELETE",
        path=_JOB,
        handler=delete_job,
        summary="Delete a job that does not run.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=None,
        status=204,
        action="job.delete",
        problems=(404, 409),
    ),
)
