"""The history of one job, from its columns, its attempts and its recorded events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from windlass import clock
from windlass.core.fault import Attempt, Fault, read_attempts, read_faults
from windlass.core.records import FOREVER, JobRecord
from windlass.core.state import FINISHED, WAITING, State
from windlass.insight.redact import redacted_text
from windlass.store.operations.archive.restore import RESTORED
from windlass.store.operations.queries import EventRecord, JobHistory
from windlass.store.operations.steps.steps import StepRecord

_ORDER = (
    "claimed",
    "started",
    "heartbeat",
    "step",
    "event",
    "timeout",
    "overtime",
    "cancel_requested",
    "failed_by_hand",
    "abandoned",
    "attempt_failed",
    "sleep",
    "waits",
    "suspended",
    "snoozed",
    "throttled",
    "handed_back",
    "rescued",
    "refused",
    *FINISHED,
    RESTORED,
    "retried",
)
"""In which order the entries of one attempt come that have the same instant."""

_POSTPONED = {"throttled": "throttled", "sleep": "suspended", "event": "suspended"}
"""How an attempt ended that put its job off, by the reason; all others snoozed."""


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One thing that happened to a job."""

    at: datetime
    kind: str
    """created, promoted, claimed, started, heartbeat, step, sleep, waits, event, timeout, suspended, attempt_failed,
    snoozed, throttled, handed_back, rescued, refused, retried, restored, completed, ... The end of an attempt says in
    its detail which ``attempt`` it was, for how many ``seconds`` it ran, and in how many the next was due, ``next_in``.
    """
    worker: str | None = None
    fence: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)


def timeline(job: JobRecord, story: JobHistory) -> list[TimelineEntry]:
    """Everything that is known to have happened, in order. A job without trouble has no event rows."""
    attempts, faults = read_attempts(job.attempts), read_faults(job.errors).faults
    fence = _fence_of_last_claim(job, story)
    kept = {attempt.fence for attempt in attempts.attempts}
    entries = [*_before_attempts(job)]
    for number, attempt in enumerate(attempts.attempts):
        fault = next((fault for fault in faults if fault.fence == attempt.fence), None)
        entries += _of_attempt(attempt, fault, job, story)
        if number == 0 and attempts.left_out:
            entries.append(_left_out(attempt, attempts.left_out))
    if fence not in kept:
        entries += _last_claim(job, story, fence)
    entries += [_failed(fault) for fault in faults if fault.fence not in kept]
    entries += [_told(event) for event in story.events]
    entries += [_of_step(step) for step in story.steps]
    if job.finished_at is not None and job.state in FINISHED:
        detail = {"reason": job.reason} if job.reason else {}
        entries.append(TimelineEntry(_end(job.finished_at, story), str(job.state), job.worker, fence, detail))
    return _in_order(entries)


def _end(finished_at: int, story: JobHistory) -> datetime:
    """When a job has ended; one that has not run since it was restored ended before that."""
    for event in story.events:
        if event.kind == RESTORED and event.at == finished_at:
            with suppress(KeyError, TypeError, ValueError):
                return datetime.fromisoformat(detail_of(event.detail)["finished_at"])
    return clock.instant(finished_at)


def _in_order(entries: list[TimelineEntry]) -> list[TimelineEntry]:
    """By time; at the same instant causes come before effects: attempts by fence, each from its claim to its end."""
    claims = sorted((entry.at, entry.fence or 0) for entry in entries if entry.kind == "claimed")
    put_off = sorted((entry.at, entry.fence or 0) for entry in entries if "next_in" in entry.detail)

    def order(entry: TimelineEntry) -> tuple[datetime, float, int]:
        rank = _ORDER.index(entry.kind) if entry.kind in _ORDER else len(_ORDER)
        match entry.kind:
            case "created":
                return entry.at, -1, 0
            case "promoted":
                # Behind the attempt that was put off until then; without one, before the first.
                return entry.at, max((fence for at, fence in put_off if at <= entry.at), default=0), len(_ORDER) + 1
            case "attempt_failed" if entry.fence is None:  # by an earlier release
                return entry.at, max((fence for at, fence in claims if at <= entry.at), default=0), rank
            case _:
                return entry.at, entry.fence or 0, rank

    return sorted(entries, key=order)


def _before_attempts(job: JobRecord) -> Iterator[TimelineEntry]:
    yield TimelineEntry(clock.instant(job.created_at), "created", detail={"queue": job.queue, "task": job.task})
    if job.run_at > job.created_at and job.promoted_at is None and job.claimed_at is None:
        yield TimelineEntry(clock.instant(job.run_at), "due")
    if job.promoted_at is not None:
        yield TimelineEntry(clock.instant(job.promoted_at), "promoted")
    if job.start_by is not None and job.state in WAITING:
        yield TimelineEntry(clock.instant(job.start_by), "expires")


def _of_attempt(attempt: Attempt, fault: Fault | None, job: JobRecord, story: JobHistory) -> Iterator[TimelineEntry]:
    """An attempt that did not complete the job, from its claim to its end, unless the job or an event tells that."""
    began, ended = _within(attempt)
    if attempt.claimed_at is not None:
        yield TimelineEntry(clock.instant(attempt.claimed_at), "claimed", attempt.worker, attempt.fence)
    if began is not None:
        yield TimelineEntry(clock.instant(began), "started", attempt.worker, attempt.fence)
    detail: dict[str, Any] = {"attempt": attempt.number}
    if fault is not None:
        detail["error"] = _error(fault)
    if began is not None:
        detail["seconds"] = (ended - began) / 1000
    if attempt.delay is not None and attempt.delay < FOREVER:
        detail["next_in"] = attempt.delay / 1000
    kind = _kind_of_end(attempt, fault)
    is_told = any(event.kind == kind and event.fence == attempt.fence for event in story.events)
    if not is_told and not (kind == job.state and job.finished_at == attempt.ended_at):
        yield TimelineEntry(clock.instant(ended), kind, attempt.worker, attempt.fence, detail)


def _left_out(first: Attempt, count: int) -> TimelineEntry:
    """Stands for the attempts behind the first that are not kept."""
    return TimelineEntry(clock.instant(first.ended_at), "left_out", fence=first.fence, detail={"attempts": count})


def _within(attempt: Attempt) -> tuple[int | None, int]:
    """When it began and ended; a start is computed from a length that was rounded, so it may lie before the claim."""
    claimed = attempt.claimed_at or 0
    began = None if attempt.started_at is None else max(attempt.started_at, claimed)
    return began, max(attempt.ended_at, began or claimed)


def _kind_of_end(attempt: Attempt, fault: Fault | None) -> str:
    if fault is not None:
        return "attempt_failed"
    match attempt.outcome:
        case "lost":
            return "rescued"
        case State.SCHEDULED:
            return {"throttled": "throttled", "sleep": "suspended", "event": "suspended"}.get(
                attempt.reason or "", "snoozed"
            )
        case State.PENDING:
            return "handed_back"
        case State.CANCELLED:
            return "cancelled"
        case _:
            return "attempt_failed"


def _last_claim(job: JobRecord, story: JobHistory, fence: int) -> Iterator[TimelineEntry]:
    """The claim that the job's own columns tell of: it runs, has completed the job, or was released before it began."""
    claimed = job.claimed_at or 0
    seen_at = story.seen_at if story.seen_at is not None and story.seen_at >= claimed else None
    started_at = None if job.started_at is None else max(job.started_at, claimed)
    for kind, at in (("claimed", job.claimed_at), ("started", started_at), ("heartbeat", seen_at)):
        if at is not None:
            yield TimelineEntry(clock.instant(at), kind, job.worker, fence)


def _of_step(step: StepRecord) -> TimelineEntry:
    """A function at its return, an event at its coming, a sleep or an open wait at its beginning."""
    detail: dict[str, Any] = {"name": step.name}
    if step.ended_at is not None:
        detail["seconds"] = (step.ended_at - step.began_at) / 1000
    if step.event is not None:
        detail = {"event": step.event, **detail}
    if step.wake_at is not None and step.ended_at is None:
        detail["until"] = clock.instant(step.wake_at).isoformat(timespec="seconds")
    at = step.began_at if step.ended_at is None else step.ended_at
    is_waiting = step.event is not None and step.ended_at is None
    return TimelineEntry(clock.instant(at), "waits" if is_waiting else step.kind, fence=step.fence, detail=detail)


def _failed(fault: Fault) -> TimelineEntry:
    """A failure whose attempt is not kept: it never began, or an earlier release ended it."""
    detail = {"attempt": fault.attempt, "error": _error(fault)}
    return TimelineEntry(clock.instant(fault.at), "attempt_failed", fault.worker, fault.fence, detail)


def _error(fault: Fault) -> str:
    return redacted_text(f"{fault.type}: {fault.message}")


def _fence_of_last_claim(job: JobRecord, story: JobHistory) -> int:
    """The job's fence, unless a rescue or a person has taken the job since: the event has the fence before it."""
    taken = [event for event in story.events if event.kind in ("rescued", "failed_by_hand")]
    rescues = [(event.at, event.fence) for event in taken if event.fence is not None]
    if job.state is State.RUNNING or not rescues:
        return job.fence
    at, lost = rescues[-1]
    # A claim raises the fence once more. Within a millisecond only that shows whether there was one; where a Redis
    # server was restarted meanwhile, fences jump and the time shows it.
    is_unclaimed = at > (job.claimed_at or 0) or job.fence == lost + 1
    return lost if is_unclaimed else job.fence


def _told(event: EventRecord) -> TimelineEntry:
    told = {name: _masked(value) for name, value in detail_of(event.detail).items()}
    return TimelineEntry(clock.instant(event.at), event.kind, event.worker, event.fence, told)


def _masked(value: object) -> object:
    """Reasons are texts of users."""
    return redacted_text(value) if isinstance(value, str) else value


def detail_of(text: str | None) -> dict[str, Any]:
    """An event's detail without empty values."""
    if text is None:
        return {}
    try:
        decoded = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError):
        return {"text": text}
    return {name: value for name, value in decoded.items() if value is not None}
