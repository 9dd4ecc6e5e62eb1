"""One job: its state, its attempts and errors, its arguments and result, its relatives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windlass import clock
from windlass.client.job_changes import find_record
from windlass.core.fault import Attempt, Fault, read_attempts
from windlass.core.meta import read_meta, trace_id_of
from windlass.core.state import FINISHED, State, Verb, allowed_from
from windlass.insight.payload import JobValues, parameters_of
from windlass.insight.redact import MASK, redacted_text
from windlass.job import Job
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings.graphs import draw_graph
from windlass.web.site.drawings.timeline import draw_timeline
from windlass.web.site.failures.causes import failed_alike
from windlass.web.site.jobs.origins import Relation, jobs_enqueued_by, relations_of
from windlass.web.site.jobs.tracebacks import Traceback, traceback_of
from windlass.web.site.page import Page

_MOST_TEXT = 20_000
_MOST_HISTORY = 200


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt that did not complete its job."""

    number: int
    state: str
    """As which state of a job it is drawn."""
    word: str
    worker: str | None
    at: datetime | None
    took: timedelta | None
    traceback: Traceback | None
    log: str


async def job(call: Call[Nothing, None]) -> Page:
    """Everything about one job."""
    found = await read_job(call)
    parameters = parameters_of(found.task, call.app.tasks)
    values = JobValues.of(found, parameters)
    return await job_page(call, found, values, is_revealed=False)


async def read_job(call: Call[Any, Any]) -> Job[Any]:
    """The job that the path names."""
    client = call.app.client
    return Job.of(client, await client.session.arun(find_record(call.path["id"])))


async def job_page(call: Call[Any, Any], found: Job[Any], values: JobValues, *, is_revealed: bool) -> Page:
    """The page of a job with these values."""
    parameters = parameters_of(found.task, call.app.tasks)
    arguments = list(values.payload.named(parameters))
    waits = found.state not in (*FINISHED, State.RUNNING)
    graph = await found.aflow()
    shown = {
        "job": found,
        "why": None if found.state in FINISHED else _beyond_its_time(await found.awhy()),
        "waits": waits,
        "drawing": draw_timeline(found, call.now),
        "arguments": arguments,
        "has_masked": not is_revealed and any(_has_mask(value) for _, value in arguments),
        "is_revealed": is_revealed,
        "raw": _raw(arguments),
        "ran": _ran(found),
        "timeout": None if found.record.timeout is None else timedelta(milliseconds=found.record.timeout),
        "is_unreadable": values.payload.is_unreadable,
        "values": values,
        "attempts": _attempts(found),
        "attempts_left_out": read_attempts(found.record.attempts).left_out,
        "log": redacted_text(found.log[:_MOST_TEXT]) if not found.errors else "",
        "history": list(reversed((await found.atimeline())[-_MOST_HISTORY:])),
        "actions": offered(found.state),
        "graph": draw_graph(graph),
        "flow": graph,
        "steps": await found.asteps(),
        "trace_id": trace_id_of(read_meta(found.record.meta)),
        "alike": await failed_alike(call.app, found),
        "relations": await _relations(call, found),
        "enqueued": await jobs_enqueued_by(call.app, found),
        "enqueued_by": read_meta(found.record.meta).enqueued_by,
    }
    return Page("job.html", found.task, shown, here="/jobs", is_live=not is_revealed)


def _beyond_its_time(why: str) -> str | None:
    """Why a job waits; None where that is only its time, which the page tells by its state.

    >>> _beyond_its_time("it is scheduled, due in 0:10:00"), _beyond_its_time("no worker serves queue 'mail'")
    (None, "no worker serves queue 'mail'")
    """
    is_plain = why.startswith("it is scheduled, ") or (why.startswith("attempt ") and " failed; the next is " in why)
    return None if is_plain else why


async def _relations(call: Call[Any, Any], found: Job[Any]) -> list[Relation]:
    return await call.app.client.session.arun(relations_of(found))


def offered(state: State) -> set[str]:
    """What may be done to a job in a state. A retry of a blocked one works only in some cases, so it is not offered."""
    verbs = (Verb.RETRY, Verb.CANCEL, Verb.FAIL, Verb.RESCHEDULE, Verb.DELETE)
    found = {str(verb) for verb in verbs if state in allowed_from(verb)}
    return found - {str(Verb.RETRY)} if state is State.BLOCKED else found


def _raw(arguments: list[tuple[str, object]]) -> str:
    """The arguments as they can be pasted into a form, secrets masked."""
    return json.dumps(dict(arguments), indent=2, ensure_ascii=False)[:_MOST_TEXT]


def _ran(job: Job[Any]) -> timedelta | None:
    """How long all of its runs took that have ended; None where none has."""
    ended = [one for one in _attempts(job) if one.took is not None]
    times = [one.took for one in ended if one.took is not None]
    if job.state is State.COMPLETED and job.started_at and job.finished_at:
        times.append(job.finished_at - job.started_at)
    return sum(times, timedelta()) if times else None


def _has_mask(value: object) -> bool:
    """Whether something is masked in a value; it is no deeper than masks reach."""
    match value:
        case Mapping():
            return any(_has_mask(inner) for inner in value.values())
        case list():
            return any(_has_mask(inner) for inner in value)
        case _:
            return value == MASK


def _attempts(job: Job[Any]) -> list[AttemptView]:
    """Those that did not complete the job, the newest first; errors that belong to none of them are shown as well."""
    faults = {fault.fence: fault for fault in job.errors if fault.fence is not None}
    seen: set[int] = set()
    found: list[AttemptView] = []
    for attempt in read_attempts(job.record.attempts).attempts:
        fault = faults.get(attempt.fence)
        seen.add(attempt.fence)
        found.append(_attempt(attempt, fault))
    found += [_fault_alone(fault) for fault in job.errors if fault.fence is None or fault.fence not in seen]
    return sorted(found, key=lambda view: (view.number, view.at or clock.instant(0)), reverse=True)


def _attempt(attempt: Attempt, fault: Fault | None) -> AttemptView:
    began = attempt.started_at or attempt.claimed_at
    ended = clock.instant(attempt.ended_at)
    failed = fault is not None or attempt.outcome in ("lost", "failed")
    return AttemptView(
        number=attempt.number,
        state="failed" if failed else "cancelled" if attempt.outcome == "cancelled" else "pending",
        word="failed" if fault is not None else attempt.reason or attempt.outcome,
        worker=attempt.worker,
        at=clock.instant_or_none(began) or ended,
        took=None if began is None else ended - clock.instant(began),
        traceback=None if fault is None else traceback_of(fault),
        log="" if fault is None else redacted_text(fault.log[:_MOST_TEXT]),
    )


def _fault_alone(fault: Fault) -> AttemptView:
    return AttemptView(
        number=fault.attempt,
        state="failed",
        word="failed",
        worker=fault.worker,
        at=clock.instant(fault.at),
        took=None,
        traceback=traceback_of(fault),
        log=redacted_text(fault.log[:_MOST_TEXT]),
    )
