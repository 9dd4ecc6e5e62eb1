"""Checks chains, graphs, groups and steps, by the lines of their tasks and by the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.torture.evidence import Evidence
from tests.torture.finding import Finding
from tests.torture.flows.setting import flow_of
from tests.torture.results import fence_of_result
from windlass.core.state import State


def links_follow_their_parents(seen: Evidence) -> Iterator[Finding]:
    """I15: a job begins when those that it waits for have completed, and gets what they returned."""
    for line in seen.passed:
        parent = seen.records.get(line.parent)
        if parent is None:
            continue
        if parent.state is not State.COMPLETED or line.given != fence_of_result(parent):
            yield Finding(
                "I15",
                f"job {line.job} got the result of fence {line.given} of job {line.parent}, "
                f"which is {parent.state} by fence {fence_of_result(parent)}",
            )
        ended = [run.ended for run in seen.runs.get(line.parent, ()) if run.fence == line.given and run.ended]
        began = [run.began for run in seen.runs.get(line.job, ()) if run.fence == line.fence]
        if ended and began and min(began) < min(ended):
            yield Finding("I15", f"job {line.job} began before job {line.parent} had ended")


def only_failures_take_along(seen: Evidence) -> Iterator[Finding]:
    """I15: a job is cancelled because of others only if one of them did not complete."""
    flows: dict[str, list[str]] = defaultdict(list)
    for id in seen.records:
        flows[flow_of(id)].append(id)
    for id, job in sorted(seen.records.items()):
        if (job.state, job.reason) != (State.CANCELLED, "dependency"):
            continue
        others = [seen.records[other] for other in flows[flow_of(id)] if other != id]
        if not any(other.state is not State.COMPLETED and other.reason != "dependency" for other in others):
            yield Finding("I15", f"job {id} was cancelled because of others, which all completed")


def steps_are_recorded_once(seen: Evidence) -> Iterator[Finding]:
    """I16: all runs of a job go on with the same result of a step, and none does it again that has been recorded."""
    kept: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for line in seen.kept:
        fences = kept[line.job, line.step]
        fences[line.value] = min(line.fence, fences.get(line.value, line.fence))
    for (job, step), fences in sorted(kept.items()):
        if len(fences) > 1:
            yield Finding("I16", f"job {job} went on with different results of {step}: {', '.join(sorted(fences))}")
    for stepped in seen.stepped:
        first = min(kept.get((stepped.job, stepped.step), {"": stepped.fence}).values())
        if stepped.fence > first:
            yield Finding(
                "I16", f"job {stepped.job} did step {stepped.step} again at fence {stepped.fence}, kept at {first}"
            )


def events_arrive(seen: Evidence) -> Iterator[Finding]:
    """I17: a job gets the event that was sent to it; nor does it wait on or run out of time once that is there."""
    sent = {line.to: line for line in reversed(seen.sent)}
    for id, job in sorted(seen.records.items()):
        if id in sent and (job.state, job.reason) == (State.SCHEDULED, "event"):
            yield Finding("I17", f"job {id} waits for ever for the event that {sent[id].job} had sent")
    for line in seen.kept:
        if line.step == "event" and flow_of(line.value) != flow_of(line.job):
            yield Finding("I17", f"job {line.job} got the event that {line.value} sent")
        began = [run.began for run in seen.runs.get(line.job, ()) if run.fence == line.fence]
        if line.step == "timeout" and line.job in sent and began and sent[line.job].at < min(began):
            yield Finding("I17", f"job {line.job} waited in vain for the event that {sent[line.job].job} had sent")


CHECKS = (links_follow_their_parents, only_failures_take_along, steps_are_recorded_once, events_arrive)
