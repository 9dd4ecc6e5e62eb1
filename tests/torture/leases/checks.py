"""Checks leases over HTTP, by what their client was answered and by the store.

A job that is claimed over HTTP leaves the lines of every run, so that all other checks are about it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.torture.evidence import Evidence, Run
from tests.torture.finding import Finding
from tests.torture.plan import Kind
from tests.torture.witness import Answered, Leased
from windlass.core.state import State

LOST = "Lease lost"
_EXPECTED = (200, 204, 409)
"""What a call is answered with at last; 429 and 503 are not the last answer."""
_SLACK = 0.05
"""Seconds by which a lease, which the store counts in milliseconds by its own clock, may seem too short."""


def answers_are_as_stated(seen: Evidence) -> Iterator[Finding]:
    """I18: no call of a client is a defect of the server, or of what the client may do."""
    for line in seen.answered:
        if line.status not in _EXPECTED:
            yield Finding("I18", f"{_call(line)} was answered with {line.status} {line.title}")


def accepted_endings_are_final(seen: Evidence) -> Iterator[Finding]:
    """I18: a job that was completed over HTTP is completed by that fence, whatever comes later."""
    for line in seen.answered:
        job = seen.records.get(line.job)
        if line.verb != "complete" or line.status != 204 or job is None:
            continue
        if job.state is State.CANCELLED and line.job in seen.may_be_cancelled:
            continue
        if (job.state, job.fence) != (State.COMPLETED, line.fence):
            yield Finding("I18", f"{_call(line)} was accepted, and the job is {job.state} by fence {job.fence}")


def what_is_lost_stays_lost(seen: Evidence) -> Iterator[Finding]:
    """I18: under a fence that the store has called lost, nothing is written."""
    lost: set[tuple[str, int]] = set()
    for line in sorted(seen.answered, key=lambda line: line.at):
        if line.status == 409 and line.title == LOST:
            lost.add((line.job, line.fence))
        elif line.status in (200, 204) and (line.job, line.fence) in lost:
            yield Finding("I18", f"{_call(line)} was accepted after its lease was lost")
    for id, fence in sorted(lost):
        job = seen.records.get(id)
        if job is not None and (job.state, job.fence) == (State.COMPLETED, fence):
            yield Finding("I18", f"job {id} was lost to fence {fence}, which has completed it")


def leases_last(seen: Evidence) -> Iterator[Finding]:
    """I18: a job that a client holds is not handed out again before the lease is over, unless the clock was stepped."""
    last: dict[tuple[str, int], Leased] = {}
    for line in seen.leased:
        last[line.job, line.fence] = max(line, last.get((line.job, line.fence), line), key=lambda line: line.asked)
    for (id, fence), lease in sorted(last.items()):
        for run in seen.runs.get(id, ()):
            is_early = run.fence > fence and run.began < lease.asked + lease.seconds - _SLACK
            if is_early and not _has_ended(id, fence, run, seen) and not _is_stepped(lease.asked, run.began, seen):
                yield Finding(
                    "I18",
                    f"job {id} was leased to fence {fence} at {lease.asked:.2f} for {lease.seconds:g} s, "
                    f"and fence {run.fence} began at {run.began:.2f}",
                )


def _has_ended(id: str, fence: int, later: Run, seen: Evidence) -> bool:
    ends: dict[int, list[float]] = defaultdict(list)
    for run in seen.runs.get(id, ()):
        if run.ended is not None:
            ends[run.fence].append(run.ended)
    return any(ended <= later.began for ended in ends[fence])


def _is_stepped(since: float, to: float, seen: Evidence) -> bool:
    steps = [incident for incident in seen.incidents if incident.fault.kind is Kind.CLOCK_STEP]
    return any(step.at <= to and (step.until is None or step.until >= since) for step in steps)


def _call(line: Answered) -> str:
    return f"{line.verb} of job {line.job} under fence {line.fence}" if line.job else line.verb


CHECKS = (answers_are_as_stated, accepted_endings_are_final, what_is_lost_stays_lost, leases_last)
