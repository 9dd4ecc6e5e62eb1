"""Jobs, queues, workers and notices as values for JSON: one form each, for the command line and for HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from windlass import clock
from windlass.clock import iso
from windlass.core.fault import Fault
from windlass.core.rates.cooldown import Cooldown
from windlass.core.retry import Retry
from windlass.core.schedules.preview import PlannedFire
from windlass.insight.access.audit import AuditPage
from windlass.insight.access.tokens import TokenView
from windlass.insight.cooldowns import CooldownView
from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups
from windlass.insight.flows.graph import FlowGraph
from windlass.insight.flows.relatives import Family, Relatives
from windlass.insight.keys import BusyKey, BusyKeyPage, ConcurrencyView
from windlass.insight.limits import LimitView
from windlass.insight.notices import Notice
from windlass.insight.overview import Overview, QueueView
from windlass.insight.payload import JobValues
from windlass.insight.schedules import ScheduleValues
from windlass.insight.timeline import TimelineEntry
from windlass.insight.workers import WORKER_INFO, WorkerView
from windlass.job import Job
from windlass.queue_settings import QueueSettings
from windlass.retention import Retention
from windlass.schedules.fires import Fire
from windlass.schedules.schedule import Schedule
from windlass.schedules.settings import ScheduleSettings
from windlass.steps.view import StepView
from windlass.store.operations.flows.groups import Membership
from windlass.store.operations.rescue import Rescued
from windlass.version import VERSION

_ALONE = Family()


def job_summary(job: Job[Any]) -> dict[str, object]:
    """A job in a list."""
    return {
        "id": job.id,
        "task": job.task,
        "queue": job.queue,
        "state": str(job.state),
        "reason": job.reason,
        "priority": job.priority,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "crashes": job.record.crashes,
        "rescues": job.record.rescues,
        "worker": job.worker,
        "fence": job.fence,
        "tags": list(job.tags),
        "progress": {"value": job.progress.value, "text": job.progress.text},
        "created_at": iso(job.created_at),
        "run_at": iso(job.run_at),
        "started_at": iso(job.started_at),
        "finished_at": iso(job.finished_at),
        "error": last_error(job),
    }


def job_page(jobs: Sequence[Job[Any]], next: int | None) -> dict[str, object]:
    """A page of jobs; ``next`` is the cursor of the page after it."""
    return {"jobs": [job_summary(job) for job in jobs], "next": next}


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
        "log": job.log,
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
    return f"{job.errors[-1].type}: {job.errors[-1].message}" if job.errors else None


def why(job: Job[Any], sentence: str) -> dict[str, object]:
    """Why a job is not running."""
    return {"id": job.id, "state": str(job.state), "why": sentence}


def timeline(id: str, entries: Sequence[TimelineEntry]) -> dict[str, object]:
    """The history of a job, the earliest first."""
    return {"id": id, "timeline": [_timeline_entry(entry) for entry in entries]}


def token(view: TokenView) -> dict[str, object]:
    """A token, without its text."""
    return {
        "name": view.name,
        "role": str(view.role),
        "queues": None if view.queues is None else list(view.queues),
        "state": view.state,
        "created_at": iso(view.created_at),
        "created_by": view.created_by,
        "expires_at": iso(view.expires_at),
        "used_at": iso(view.used_at),
        "revoked_at": iso(view.revoked_at),
        "revoked_by": view.revoked_by,
    }


def audit(page: AuditPage) -> dict[str, object]:
    """Who changed what, the newest first; ``next`` is the cursor of the page after it."""
    names = ("number", "who", "via", "action", "target", "count")
    entries = [{**{name: getattr(entry, name) for name in names}, "at": iso(entry.at)} for entry in page.entries]
    return {"entries": entries, "next": page.next}


def dead_groups(groups: FailureGroups) -> dict[str, object]:
    """Jobs that failed in the same way, the largest group first, and how many failed jobs were looked at."""
    return {
        "groups": [_dead_group(group) for group in groups],
        "examined": groups.examined,
        "whole": groups.is_whole,
    }


def queues(views: Sequence[QueueView], everywhere: QueueSettings) -> dict[str, object]:
    """All queues, and what holds for all of them together."""
    return {
        "queues": [queue(view) for view in views],
        "all_paused": pause(everywhere),
        "all_max_running": everywhere.max_running,
    }


def queue(view: QueueView) -> dict[str, object]:
    """A queue with its counts and settings."""
    return {
        "name": view.name,
        "counts": {str(state): count for state, count in view.counts.items()},
        "oldest_seconds": None if view.oldest is None else view.oldest.total_seconds(),
        "workers": view.workers,
        "cooling": None if view.cooldown is None else cooldown(view.cooldown),
        **queue_settings(view.settings),
    }


def queue_settings(settings: QueueSettings) -> dict[str, object]:
    """The settings of a queue."""
    return {
        "weight": settings.weight,
        "max_length": settings.max_length,
        "max_running": settings.max_running,
        "retention": _retention(settings.retention),
        "retry": _retry(settings.retry),
        "rate": settings.rate,
        "burst": settings.burst,
        "cooldown": _cooldown_rule(settings.cooldown),
        "paused": pause(settings),
        "changed_at": iso(settings.changed_at),
        "changed_by": settings.changed_by,
        "changes": {name: {"at": iso(change.at), "by": change.by} for name, change in settings.changes.items()},
    }


def pause(settings: QueueSettings) -> dict[str, object] | None:
    """Who paused it and why; None if it is not paused."""
    if not settings.paused:
        return None
    return {"at": iso(settings.paused_at), "by": settings.paused_by, "reason": settings.paused_reason}


def limits(views: Sequence[LimitView]) -> dict[str, object]:
    """All named limits."""
    return {"limits": [limit(view) for view in views]}


def limit(view: LimitView) -> dict[str, object]:
    """A limit with its tokens and how many wait for one."""
    return {
        "name": view.name,
        "rate": view.rate,
        "burst": view.burst,
        "tokens": view.tokens,
        "next_seconds": view.next_in.total_seconds(),
        "waiting": view.waiting,
        "cooling": None if view.cooldown is None else cooldown(view.cooldown),
        "changed_at": iso(view.changed_at),
        "changed_by": view.changed_by,
    }


def busy_keys(page: BusyKeyPage) -> dict[str, object]:
    """A page of concurrency keys that jobs hold."""
    return {"keys": [_busy_key(key) for key in page], "next": page.next}


def _busy_key(key: BusyKey) -> dict[str, object]:
    return {
        "task": key.task,
        "key": key.key,
        "limit": key.limit,
        "held": key.held,
        "waiting": key.waiting,
        "holders": [{"id": id, "state": str(state)} for id, state in key.holders],
    }


def concurrencies(views: Sequence[ConcurrencyView]) -> dict[str, object]:
    """The limits of all tasks with concurrency keys."""
    return {"limits": [concurrency(view) for view in views]}


def concurrency(view: ConcurrencyView) -> dict[str, object]:
    """How many jobs of a task may hold the same concurrency key, and who says so."""
    return {
        "task": view.task,
        "limit": view.limit,
        "declared": view.declared,
        "changed_at": iso(view.changed_at),
        "changed_by": view.changed_by,
    }


def cooldown(view: CooldownView) -> dict[str, object]:
    """Something that cools down: since and until when, and why."""
    return {
        "scope": str(view.scope),
        "name": view.name,
        "since": iso(view.since),
        "until": iso(view.until),
        "job": view.job,
        "reason": view.reason,
    }


def workers(views: Sequence[WorkerView]) -> dict[str, object]:
    """All workers."""
    return {"workers": [worker(view) for view in views]}


def worker(view: WorkerView) -> dict[str, object]:
    """A worker; what it did not report is null."""
    return {
        "id": view.id,
        "name": view.name,
        "state": view.state,
        "started_at": iso(view.started_at),
        "seen_at": iso(view.seen_at),
        "signal": view.signal,
        "signalled_by": view.signalled_by,
        **{name: view.info.get(name) for name in WORKER_INFO},
        "uptime": round(view.uptime.total_seconds()),
        "taken": [{"id": job.id, "state": str(job.state), "at": iso(job.at), "by": job.by} for job in view.taken],
    }


def leader(view: WorkerView) -> dict[str, object]:
    """Who leads, since when, and the newest round of each of its duties."""
    return {"id": view.id, "name": view.name, "since": iso(view.leads_since), "duties": view.info.get("rounds")}


def schedules(found: Sequence[Schedule]) -> dict[str, object]:
    """All schedules."""
    return {"schedules": [schedule(one) for one in found]}


def schedule(one: Schedule) -> dict[str, object]:
    """A schedule in a list; of one that cannot be read only what the store knows."""
    record, declared = one.record, None if one.problem else one.declared
    paused, changed = clock.instant_or_none(record.paused_at), clock.instant_or_none(record.changed_at)
    return {
        "name": one.name,
        "task": one.task,
        "state": one.state,
        "origin": one.origin,
        "next_at": iso(one.next_at),
        **(dict.fromkeys(_SCHEDULE_SETTINGS) if one.problem else _schedule_settings(one.settings)),
        "paused": None
        if paused is None
        else {"at": iso(paused), "by": record.paused_by, "reason": record.paused_reason},
        "orphaned_at": iso(clock.instant_or_none(record.orphaned_at)),
        "changed": None
        if declared is None
        else {
            "at": iso(changed),
            "by": record.changed_by,
            "settings": one.changed,
            "code": _schedule_settings(declared),
        },
        "last_job": record.last_job,
        "problem": one.problem,
    }


def schedule_detail(one: Schedule, fires: Sequence[Fire], parameters: Sequence[str] = ()) -> dict[str, object]:
    """A schedule with its arguments, secrets masked, and its last slots."""
    values = ScheduleValues.of(one, parameters)
    given = {"args": values.args, "kwargs": values.kwargs, "meta": values.meta}
    return schedule(one) | given | {"fires": [fire(slot) for slot in fires]}


def fire(slot: Fire) -> dict[str, object]:
    """What became of a slot, or of several that were missed."""
    return {
        "schedule": slot.schedule,
        "planned_at": iso(slot.planned_at),
        "last_planned_at": iso(slot.last_planned_at),
        "count": slot.count,
        "at": iso(slot.at),
        "outcome": slot.outcome,
        "reason": slot.reason,
        "job": slot.job,
    }


def preview(one: Schedule, planned: Sequence[PlannedFire]) -> dict[str, object]:
    """The next slots of a schedule."""
    slots = [{"at": iso(slot.at), "local": slot.local.isoformat(), "note": slot.note or None} for slot in planned]
    return {"name": one.name, "tz": one.settings.tz, "state": one.state, "slots": slots}


def rescued(jobs: Sequence[Rescued]) -> dict[str, object]:
    """What a rescue freed."""
    return {"duty": "rescue", "rescued": [{"id": job.id, "state": str(job.state)} for job in jobs]}


def promoted(count: int) -> dict[str, object]:
    """What a promotion did."""
    return {"duty": "promote", "promoted": count}


def cleaned(deleted: int, archived: int, seconds: float) -> dict[str, object]:
    """What a cleaning did."""
    return {"duty": "clean", "deleted": deleted, "archived": archived, "seconds": round(seconds, 3)}


def fired(fires: Sequence[Fire]) -> dict[str, object]:
    """What became of the slots that were due."""
    return {"duty": "fire", "fired": [fire(slot) for slot in fires]}


def notice(noticed: Notice) -> dict[str, object]:
    """A store event."""
    return {
        "at": iso(noticed.at),
        "kind": noticed.kind,
        "by": noticed.by,
        "count": noticed.count,
        "text": noticed.text,
        "detail": noticed.detail,
    }


def overview(store: str, seen: Overview) -> dict[str, object]:
    """Everything at a glance."""
    return {
        "version": VERSION,
        "store": store,
        "counts": {str(state): count for state, count in seen.counts.items()},
        "queues": [queue(view) for view in seen.queues],
        "workers": [worker(view) for view in seen.workers],
        "leader": None if seen.leader is None else leader(seen.leader),
        "cooling": [cooldown(view) for view in seen.cooldowns],
        "all_paused": pause(seen.everywhere),
        "unserved": [view.name for view in seen.queues if view.is_unserved],
        "problems": seen.problems,
        "notices": [notice(noticed) for noticed in seen.notices],
    }


def _retry(rule: Retry | None) -> dict[str, object] | None:
    if rule is None:
        return None
    return {name: getattr(rule, name) for name in ("attempts", "backoff", "base", "factor", "floor", "cap", "jitter")}


def _cooldown_rule(rule: Cooldown | None) -> dict[str, object] | None:
    if rule is None:
        return None
    return {"enabled": rule.enabled, "base": rule.shortest / 1000, "max": rule.longest / 1000}


_SCHEDULE_SETTINGS = (
    "cron",
    "every",
    "tz",
    "catch_up",
    "catch_up_limit",
    "overlap",
    "jitter",
    "queue",
    "priority",
    "attempts",
    "timeout",
    "expires",
    "unique",
    "tags",
)


def _schedule_settings(settings: ScheduleSettings) -> dict[str, object]:
    return {
        "cron": settings.cron,
        "every": None if settings.every is None else settings.every.total_seconds(),
        "tz": settings.tz,
        "catch_up": str(settings.catch_up),
        "catch_up_limit": settings.catch_up_limit,
        "overlap": str(settings.overlap),
        "jitter": settings.jitter.total_seconds(),
        "queue": settings.queue,
        "priority": settings.priority,
        "attempts": settings.attempts,
        "timeout": None if settings.timeout is None else settings.timeout.total_seconds(),
        "expires": None if settings.expires is None else settings.expires.total_seconds(),
        "unique": settings.unique,
        "tags": list(settings.tags),
    }


def _timeline_entry(entry: TimelineEntry) -> dict[str, object]:
    return {
        "at": iso(entry.at),
        "kind": entry.kind,
        "worker": entry.worker,
        "fence": entry.fence,
        "detail": entry.detail,
    }


def _dead_group(group: FailureGroup) -> dict[str, object]:
    return {
        "group": group.cause,
        "task": group.task,
        "reason": group.reason,
        "error": group.error,
        "message": group.message,
        "place": group.place,
        "count": group.count,
        "last_hour": group.recent,
        "trend": group.trend,
        "oldest": iso(group.oldest),
        "newest": iso(group.newest),
        "sample": group.sample,
    }


def _fault(fault: Fault) -> dict[str, object]:
    return {
        "at": iso(clock.instant(fault.at)),
        "attempt": fault.attempt,
        "worker": fault.worker,
        "type": fault.type,
        "message": fault.message,
        "cause": list(fault.cause),
        "traceback": fault.traceback,
        "log": fault.log,
    }


def _retention(retention: Retention | None) -> dict[str, object] | None:
    if retention is None:
        return None
    kept = {state: getattr(retention, state) for state in ("completed", "cancelled", "failed")}
    seconds = {state: None if length is None else length.total_seconds() for state, length in kept.items()}
    return {**seconds, "at_most": retention.at_most}
