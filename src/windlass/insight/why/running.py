"""Why a job that runs has not ended, and what a run that was abandoned may still do."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.records import JobRecord
from windlass.insight.timeline import detail_of
from windlass.insight.why.duties import has_duties
from windlass.insight.why.texts import instant, passed
from windlass.insight.workers import WorkerView
from windlass.store.operations.gates import ClaimSituation
from windlass.store.operations.queries import EventRecord


def running(
    situation: ClaimSituation, job: JobRecord, events: Sequence[EventRecord], workers: Sequence[WorkerView]
) -> str:
    if situation.is_over:
        return f"{_lost_owner(situation, job)}; {_rescued_when(workers)}"
    return f"it is running on {situation.worker}{_time_over(situation, job, events)}{_asked(job)}"


def _lost_owner(situation: ClaimSituation, job: JobRecord) -> str:
    who = f"{situation.worker}, who claimed it by hand," if job.is_manual_claim else f"its worker {situation.worker}"
    return (
        f"{who} is gone" if situation.silent is None else f"{who} has not been heard of for {passed(situation.silent)}"
    )


def _rescued_when(workers: Sequence[WorkerView]) -> str:
    if has_duties(workers):
        return "it will be rescued in a moment"
    if any(worker.is_alive for worker in workers):
        return "it will be rescued as soon as `windlass duties` runs, or a worker without --no-duties"
    return "it will be rescued as soon as any worker or `windlass duties` runs"


def _time_over(situation: ClaimSituation, job: JobRecord, events: Sequence[EventRecord]) -> str:
    """A clause for a run that goes on after its time limit; empty for others."""
    for event in events:
        if event.kind == "overtime" and event.fence == job.fence:
            detail = detail_of(event.detail)
            now = job.run_at - situation.due_in
            since = now - event.at + round(1000 * float(detail.get("over", 0)))
            return (
                f"; its time limit of {detail.get('limit', 0):g} s is over since {passed(since)}; it is in a call "
                "that cannot be interrupted"
            )
    return ""


def _asked(job: JobRecord) -> str:
    if job.cancel_requested_at is None:
        return ""
    return f"; asked to stop at {instant(job.cancel_requested_at)}, it has not stopped yet"


def left_behind(job: JobRecord, events: Sequence[EventRecord]) -> str:
    """A clause for a job whose last run was abandoned and may still execute; empty for others."""
    for event in events:
        if event.kind == "abandoned" and event.fence == job.fence:
            return f", but its run on {event.worker} would not stop and may still be at work"
    return ""
