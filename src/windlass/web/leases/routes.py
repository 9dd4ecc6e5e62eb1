"""The routes: claim, extend, progress, complete, fail, discard, release."""

from __future__ import annotations

import hashlib
from typing import Any

from windlass.claimed_job import ClaimedJob, lease_milliseconds
from windlass.client.job_changes import find_record
from windlass.core import validate
from windlass.core.records import JobRecord
from windlass.errors import ConfigError
from windlass.web.leases import shapes
from windlass.web.leases.leased_job import leased_jobs
from windlass.web.leases.long_poll import Claim, ClientGone, claim_while_connected, release_later
from windlass.web.problems import Problem
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role

_TOPIC = "Leases"
_LEASES = f"{PREFIX}/leases"
_LONGEST_LEASE = 7 * 86_400_000
_RESULT = 2 * 1024 * 1024


async def claim(call: Call[Nothing, shapes.LeaseOrder]) -> Answer:
    """Claim jobs, or wait for some."""
    order, client = call.body, call.app.client
    worker = order.worker or call.identity.name
    wanted = Claim(order.limit, _queues(call), _ttl(order.lease), worker, _token(call))
    try:
        claimed = await claim_while_connected(client, call.request, wanted, wait=order.wait)
    except ClientGone:
        raise Problem(499, "Client closed request", "the client went away; its jobs are given back") from None
    try:
        jobs = await client.session.arun(leased_jobs(client, claimed, worker=worker)) if claimed else []
    except BaseException:  # also when the request is called off
        release_later(client, claimed)
        raise
    return Answer(shapes.LeasedJobs(jobs), count=len(jobs), target=" ".join(job.id for job in jobs))


async def extend(call: Call[Nothing, shapes.Extension]) -> shapes.LeaseState:
    """Keep a job for longer."""
    handle = await _handle(call)
    _ttl(call.body.lease)
    await handle.aextend(call.body.lease)
    return await _state(call, handle)


async def progress(call: Call[Nothing, shapes.ProgressReport]) -> shapes.LeaseState:
    """Tell how far it is."""
    handle = await _handle(call)
    await handle.aprogress(call.body.value, call.body.text)
    return await _state(call, handle)


async def complete(call: Call[Nothing, shapes.Completion]) -> Answer:
    """Complete a job."""
    await (await _handle(call)).acomplete(call.body.result)
    return Answer()


async def fail(call: Call[Nothing, shapes.Failure]) -> Answer:
    """A failed attempt."""
    await (await _handle(call)).afail(call.body.error, delay=call.body.delay)
    return Answer()


async def discard(call: Call[Nothing, shapes.Discard]) -> Answer:
    """Failed for good."""
    await (await _handle(call)).adiscard(call.body.error)
    return Answer()


async def release(call: Call[Nothing, shapes.Release]) -> Answer:
    """Give a job back."""
    await (await _handle(call)).arelease()
    return Answer()


def _queues(call: Call[Nothing, shapes.LeaseOrder]) -> list[str]:
    named = [validate.queue_name(queue) for queue in call.body.queues]
    for queue in named:
        call.identity.require_queue(queue)
    return named or sorted(call.identity.queues or ())


def _ttl(lease: shapes.Span) -> int:
    ttl = lease_milliseconds(lease, "lease")
    if ttl > _LONGEST_LEASE:
        raise ConfigError("lease must be at most 7 days; extend it meanwhile")
    return ttl


def _token(call: Call[Nothing, shapes.LeaseOrder]) -> str | None:
    """The id belongs to the caller: another caller that sends the same one does not get these jobs."""
    if call.body.claim_id is None:
        return None
    said = f"{call.identity.via}\0{call.identity.name}\0{call.body.claim_id}".encode()
    return f"http-{hashlib.sha256(said).hexdigest()[:32]}"


async def _handle(call: Call[Nothing, Any]) -> ClaimedJob:
    """The handle of the job that the path names, if its queue is the caller's."""
    id = call.path["job"]
    call.identity.require_queue((await _record(call, id)).queue)
    return ClaimedJob(call.app.client, id, call.body.fence, worker=call.identity.name)


async def _state(call: Call[Nothing, Any], handle: ClaimedJob) -> shapes.LeaseState:
    record = await _record(call, handle.id)
    return shapes.LeaseState(handle.id, await handle.aexpires_at(), record.cancel_requested_at is not None)


async def _record(call: Call[Nothing, Any], id: str) -> JobRecord:
    return await call.app.client.session.arun(find_record(id))


def _row(verb: str, handler: Any, body: Any, summary: str, answer: Any = None) -> Route:
    return Route(
        method="POST",
        path=f"{_LEASES}/{{job}}/{verb}",
        handler=handler,
        summary=summary,
        topic=_TOPIC,
        role=Role.WORKER,
        body=body,
        answer=answer,
        status=200 if answer is not None else 204,
        action=f"lease.{verb}",
        most_bytes=_RESULT if verb == "complete" else 128 * 1024,
        problems=(404, 409, 413),
    )


ROUTES = (
    Route(
        method="POST",
        path=_LEASES,
        handler=claim,
        summary="Claim jobs to run them yourself; with wait, until there are some.",
        topic=_TOPIC,
        role=Role.WORKER,
        body=shapes.LeaseOrder,
        is_body_needed=False,
        answer=shapes.LeasedJobs,
        action="lease.claim",
        waits=lambda call: call.body.wait,
    ),
    _row("extend", extend, shapes.Extension, "Keep a job for longer, from now on.", shapes.LeaseState),
    _row("progress", progress, shapes.ProgressReport, "Tell how far a job is.", shapes.LeaseState),
    _row("complete", complete, shapes.Completion, "Complete a job, with its result."),
    _row("fail", fail, shapes.Failure, "Fail an attempt; the job runs again under its retry rule."),
    _row("discard", discard, shapes.Discard, "Fail a job for good."),
    _row("release", release, shapes.Release, "Give a job back, uncharged."),
)
