"""Jobs, their timelines, steps and graphs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.clock import iso
from windlass.insight.flows.relatives import Family, Relatives
from windlass.insight.payload import JobValues
from windlass.insight.redact import redacted_text

if TYPE_CHECKING:
    from windlass.core.fault import Fault
    from windlass.insight.flows.graph import FlowGraph
    from windlass.insight.timeline import TimelineEntry
    from windlass.job import Job
    from windlass.steps.view import StepView
    from windlass.store.operations.flows.groups import Membership

_ALONE = Family()


def job_summary(job: Job[Any]) -> dict[str, object]:
    """A job in a list."""
    record, progress = job.record, job.progress  # once: lists are long
    return {
        "id": job.id,
        "task": record.task,
        "queue": record.queue,
        "state": str(record.state),
        "reason": record.reason,
        "priority": record.priority,
        "attempt": record.attempt,
        "max_attempts": record.max_attempts,
        "crashes": record.crashes,
        "rescues": record.rescues,
        "worker": record.worker,
        "fence": record.fence,
        "tags": list(job.tags),
        "progress": {"value": progress.value, "text": progress.text and redacted_text(progress.text)},
        "created_at": iso(clock.instant(record.created_at)),
        "run_at": iso(clock.instant(record.run_at)),
        "started_at": iso(clock.instant_or_none(record.started_at)),
        "finished_at": iso(clock.instant_or_none(record.finished_at)),
        "error": last_error(job),
    }


def job_page(jobs: Sequence[Job[Any]], next: int | None, unsearched: int = 0) -> dict[str, object]:
    """A page of jobs; ``next`` is the cursor of the page after it, ``unsearched`` how many jobs a search for a
    text could not look into.
    """
    return {"jobs": [job_summary(job) for job in jobs], "next": next, "unsearched": unsearched}


def job_detail(
    job: Job[Any],
    parameters: Sequence[str] = (),
    steps: Sequence[StepView] = (),
    *,
    cached_until: datetime | None = None,
    family: Family = _ALONE,
    lease_expires_at: datetime | None = None,
    groups: Sequence[Membership] = (),
) -> dict[str, object]:
    """Everything about one job, secrets masked; ``parameters`` are the task's parameter names, if they are known."""
    values = JobValues.of(job, parameters)
    return job_summary(job) | {
        "timeout": None if job.record.timeout is None else job.record.timeout / 1000,
        "unique_key": job.record.unique_key,
        "cached_until": iso(cached_until),
        "lease_expires_at": iso(lease_expires_at),
        "expires_at": iso(job.expires_at),
        "concurrency_key": job.concurrency_key,
        "rate_key": job.rate_key,
        "cancel_requested_at": iso(clock.instant_or_none(job.record.cancel_requested_at)),
        "correlation_id": job.correlation_id,
        "schedule": job.schedule,
        "planned_at": iso(job.planned_at),
        "meta": values.meta,
        "args": values.payload.args,
        "kwargs": values.payload.kwargs,
        "result": values.result,
        "errors": [_fault(fault) for fault in job.errors],
        "errors_left_out": job.errors_left_out,
        "log": job.log and redacted_text(job.log),
        "steps": [_step(step) for step in steps],
        "parents": _relatives(family.parents),
        "children": _relatives(family.children),
        "groups": [{"callback": group.callback, "task": group.task, "members": group.size} for group in groups],
        "unreadable": list(job.unreadable),
        "encrypted": job.encrypted,
    }


def _relatives(some: Relatives) -> dict[str, object]:
    named = [
        {"id": each.id, "task": each.task, "state": None if each.state is None else str(each.state)}
        for each in some.named
    ]
    return {"number": some.number, "jobs": named}


def flow(graph: FlowGraph) -> dict[str, object]:
    """All jobs that hang together with one, and what they wait for."""
    return {
        "job": graph.job,
        "nodes": [
            {
                "id": node.id,
                "task": node.task,
                "queue": node.queue,
                "state": str(node.state),
                "reason": node.reason,
                "group": None
                if node.group is None
                else {
                    "callback": node.group.callback,
                    "total": node.group.total,
                    "states": {str(state): number for state, number in node.group.states.items()},
                },
            }
            for node in graph.nodes
        ],
        "edges": [{"parent": edge.parent, "child": edge.child, "is_open": edge.is_open} for edge in graph.edges],
        "left_out": graph.left_out,
        "truncated": graph.truncated,
    }


def _step(step: StepView) -> dict[str, object]:
    return {
        "name": step.name,
        "kind": step.kind,
        "began_at": iso(step.began_at),
        "ended_at": iso(step.ended_at),
        "wake_at": iso(step.wake_at),
        "event": step.event,
        "fence": step.fence,
    }


def last_error(job: Job[Any]) -> str | None:
    """What its newest failed attempt raised, on one line."""
    errors = job.errors
    return redacted_text(f"{errors[-1].type}: {errors[-1].message}") if errors else None


def why(job: Job[Any], sentence: str) -> dict[str, object]:
    """Why a job is not running."""
    return {"id": job.id, "state": str(job.state), "why": redacted_text(sentence)}


def timeline(id: str, entries: Sequence[TimelineEntry]) -> dict[str, object]:
    """The history of a job, the earliest first."""
    return {"id": id, "timeline": [_timeline_entry(entry) for entry in entries]}


def _timeline_entry(entry: TimelineEntry) -> dict[str, object]:
    return {
        "at": iso(entry.at),
        "kind": entry.kind,
        "worker": entry.worker,
        "fence": entry.fence,
        "detail": entry.detail,
    }


def _fault(fault: Fault) -> dict[str, object]:
    return {
        "at": iso(clock.instant(fault.at)),
        "attempt": fault.attempt,
        "worker": fault.worker,
        "type": fault.type,
        "message": redacted_text(fault.message),
        "cause": [redacted_text(cause) for cause in fault.cause],
        "traceback": redacted_text(fault.traceback),
        "log": redacted_text(fault.log),
    }
