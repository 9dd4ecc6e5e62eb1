"""Why a job is not running, in one sentence: all that keeps it back."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.outcome import limit_of_reason
from windlass.core.records import JobRecord
from windlass.core.state import DUE_LATER, State
from windlass.errors import JobNotFound
from windlass.insight.why.blocked import blocked, chosen_rate, full_key
from windlass.insight.why.duties import when_due
from windlass.insight.why.parents import left_by_parents, waits_for_parents
from windlass.insight.why.running import left_behind, running
from windlass.insight.why.scheduled import asleep, awaiting, expiry, latest_start, not_due, throttled, without_token
from windlass.insight.why.shut_gates import LASTING, PAUSES, RATES, also_shut, pending
from windlass.insight.workers import WorkerView, worker_views
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.flows.causes import DEPENDENCY
from windlass.store.operations.gates import ClaimSituation, Gate, gates
from windlass.store.operations.limits.concurrency import NOTHING_KNOWN, key_line
from windlass.store.operations.queries import EventRecord
from windlass.store.operations.rates.cooldowns import cooldowns
from windlass.store.operations.rates.tasks import task_rates
from windlass.store.operations.steps.steps import steps_of


def why(job: JobRecord) -> Operation[str]:
    """Read what keeps the job from running, and explain it; ``JobNotFound`` when the job is gone."""
    found = yield from gates(job.seq)
    if found is None:
        raise JobNotFound(f"no job has the id {job.id!r}")
    needs_workers = needs_upkeep(found) or Gate.NO_WILLING_WORKER in found.names()
    workers = (yield from worker_views()) if needs_workers else []
    if found.state is State.SCHEDULED and found.reason == "throttled":
        sentence = f"{throttled(job, (yield from cooldowns()))}; it is scheduled, {when_due(found, workers)}"
        return sentence + also_shut(found, job, PAUSES) + expiry(found, job)
    if found.state is State.SCHEDULED and (limit := limit_of_reason(found.reason)) is not None:
        sentence = f"{without_token(limit, (yield from cooldowns()))}; it is scheduled, {when_due(found, workers)}"
        return sentence + also_shut(found, job)
    if found.state is State.SCHEDULED and found.reason == "sleep":
        sentence = f"{asleep((yield from steps_of(job.seq)))}; it is scheduled, {when_due(found, workers)}"
        return sentence + also_shut(found, job)
    if found.state is State.SCHEDULED and found.reason == "event":
        return awaiting(found, (yield from steps_of(job.seq)), workers) + also_shut(found, job)
    if found.state is State.BLOCKED:
        if found.reason == "parents":
            return (yield from waits_for_parents(job.seq)) + also_shut(found, job) + expiry(found, job)
        line = yield from key_line(job.seq)
        sentence = blocked(found, job, line)
        if found.reason == "rate":
            sentence += chosen_rate((yield from task_rates(job.task))) + (yield from full_key(job))
            return sentence + also_shut(found, job) + expiry(found, job)
        return sentence + also_shut(found, job, (*LASTING, *RATES)) + expiry(found, job)
    if found.state is State.PENDING:
        return pending(found, job, workers) + (yield from full_key(job)) + expiry(found, job)
    if found.state is State.CANCELLED and found.reason == DEPENDENCY:
        return f"it is cancelled (dependency): {(yield from left_by_parents(job.seq))}"
    if found.state not in (State.RUNNING, State.CANCELLED, State.FAILED):
        return explain(found, job, workers=workers)
    story = yield from queries.history(job.seq)
    return explain(found, job, story.events, workers)


def needs_upkeep(situation: ClaimSituation) -> bool:
    """Whether the job waits to be promoted or rescued."""
    return situation.is_over or (situation.state in DUE_LATER and situation.due_in <= 0)


def explain(
    situation: ClaimSituation, job: JobRecord, events: Sequence[EventRecord] = (), workers: Sequence[WorkerView] = ()
) -> str:
    """Every closed gate, by the same conditions as the claim.

    ``workers`` are read where the job needs duties, or where none of them takes jobs of its queue.
    """
    match situation.state:
        case State.RUNNING:
            return running(situation, job, events, workers)
        case State.COMPLETED:
            return "it is completed"
        case State.CANCELLED if situation.reason == "expired":
            return f"it is cancelled (expired): it had not started {latest_start(job)}; retry it to run it all the same"
        case State.CANCELLED:
            return f"it is cancelled{left_behind(job, events)}"
        case State.FAILED:
            return f"it failed ({situation.reason}){left_behind(job, events)}; retry it to run it again"
        case State.SCHEDULED | State.RETRYING:
            return not_due(situation, job, workers) + also_shut(situation, job) + expiry(situation, job)
        case State.BLOCKED:
            return blocked(situation, job, NOTHING_KNOWN) + expiry(situation, job)
        case State.PENDING:
            return pending(situation, job, workers) + expiry(situation, job)
