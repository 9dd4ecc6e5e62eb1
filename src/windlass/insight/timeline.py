"""The history of one job, from its columns and its recorded events."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from windlass import clock
from windlass.core.fault import read_faults
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.store.operations.queries import EventRecord, JobHistory


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One thing that happened to a job."""

    at: datetime
    kind: str
    """created, promoted, claimed, started, heartbeat, attempt_failed, rescued, refused, retried, completed, ..."""
    worker: str | None = None
    fence: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)


def timeline(job: JobRecord, story: JobHistory) -> list[TimelineEntry]:
    """Everything that is known to have happened, in order. A job without trouble has no event rows."""
    entries = [TimelineEntry(clock.instant(job.created_at), "created", detail={"queue": job.queue, "task": job.task})]
    if job.run_at > job.created_at and job.promoted_at is None and job.claimed_at is None:
        entries.append(TimelineEntry(clock.instant(job.run_at), "due"))
    if job.promoted_at is not None:
        entries.append(TimelineEntry(clock.instant(job.promoted_at), "promoted"))
    fence = _fence_of_last_claim(job, story)
    seen_at = story.seen_at if story.seen_at is not None and story.seen_at >= (job.claimed_at or 0) else None
    for kind, at in (("claimed", job.claimed_at), ("started", job.started_at), ("heartbeat", seen_at)):
        if at is not None:
            entries.append(TimelineEntry(clock.instant(at), kind, job.worker, fence))
    entries += [
        TimelineEntry(
            clock.instant(fault.at),
            "attempt_failed",
            fault.worker,
            detail={"attempt": fault.attempt, "error": f"{fault.type}: {fault.message}"},
        )
        for fault in read_faults(job.errors).faults
    ]
    entries += [_told(event) for event in story.events]
    if job.finished_at is not None and job.state in FINISHED:
        detail = {"reason": job.reason} if job.reason else {}
        entries.append(TimelineEntry(clock.instant(job.finished_at), str(job.state), job.worker, fence, detail))
    # Sorted by time alone: entries of one millisecond keep the order above.
    return sorted(entries, key=lambda entry: entry.at)


def _fence_of_last_claim(job: JobRecord, story: JobHistory) -> int:
    """The job's fence, unless a rescue has raised it since: the event of a rescue has the fence before it."""
    rescues = [(event.at, event.fence) for event in story.events if event.kind == "rescued" and event.fence is not None]
    if job.state is State.RUNNING or not rescues:
        return job.fence
    at, lost = rescues[-1]
    # A claim raises the fence once more. Within a millisecond only that shows whether there was one; where a Redis
    # server was restarted meanwhile, fences jump and the time shows it.
    is_unclaimed = at > (job.claimed_at or 0) or job.fence == lost + 1
    return lost if is_unclaimed else job.fence


def _told(event: EventRecord) -> TimelineEntry:
    return TimelineEntry(clock.instant(event.at), event.kind, event.worker, event.fence, detail_of(event.detail))


def detail_of(text: str | None) -> dict[str, Any]:
    """An event's detail without empty values."""
    if text is None:
        return {}
    try:
        decoded = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError):
        return {"text": text}
    return {name: value for name, value in decoded.items() if value is not None}
