"""What keeps a pending job from being claimed: the sentence of each gate, and the jobs that come first."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.limits.concurrency import WHOLE_TASK
from windlass.core.rates.key import shown_rate_key
from windlass.core.records import JobRecord
from windlass.insight.why.texts import instant, several
from windlass.insight.workers import WorkerView
from windlass.store.operations.gates import HOLDERS, ClaimSituation, Gate, ShutGate

NAMED = HOLDERS - 1
"""So many of the jobs that run under a limit are named."""
PAUSES = (Gate.EVERYTHING_PAUSED, Gate.QUEUE_PAUSED)
RATES = (Gate.RATE_COOLING, Gate.RATE_OUT_OF_TOKENS)
LASTING = (*PAUSES, Gate.QUEUE_COOLING)
"""Gates of a queue that hold a job too that is not pending yet. What runs and which workers there are may be otherwise
by then."""


def pending(situation: ClaimSituation, job: JobRecord, workers: Sequence[WorkerView]) -> str:
    """``workers`` are known where none of them takes jobs of its queue."""
    if situation.shut:
        return "; also, ".join(kept_by(shut, situation, job, workers) for shut in situation.shut)
    if job.crashes + job.rescues > 0:
        return _suspected(situation, job)
    if situation.ahead:
        return _behind_others(situation, job)
    return "it is next in line and waits for a free slot"


def also_shut(situation: ClaimSituation, job: JobRecord, gates: Sequence[Gate] = LASTING) -> str:
    """A clause for a job that waits for something else first, and then for these gates; empty for others."""
    shut = [shut for shut in situation.shut if shut.gate in gates and _outlasts(shut, job)]
    return "".join(f"; also, {kept_by(each, situation, job)}" for each in shut)


def _outlasts(shut: ShutGate, job: JobRecord) -> bool:
    return shut.ends_at is None or shut.ends_at > job.run_at


def kept_by(shut: ShutGate, situation: ClaimSituation, job: JobRecord, workers: Sequence[WorkerView] = ()) -> str:
    """The sentence of a gate. Every gate has one: the type checker reports a missing case."""
    match shut.gate:
        case Gate.EVERYTHING_PAUSED:
            return f"all queues are paused{_by(shut)}{_for_reason(shut)}"
        case Gate.QUEUE_PAUSED:
            return f"queue {job.queue!r} is paused{_by(shut)}{_for_reason(shut)}"
        case Gate.QUEUE_COOLING:
            return f"queue {job.queue!r} cools down{_until(shut)}{_for_reason(shut)}"
        case Gate.NO_WORKER:
            return f"no worker serves queue {job.queue!r}"
        case Gate.NO_WILLING_WORKER:
            return f"{_unwilling(situation, job)} no jobs now: {_reluctance(job, workers)}"
        case Gate.APP_AT_LIMIT:
            return f"as many jobs run as may run at once, {shut.most} in all{_held_by(situation.holders)}"
        case Gate.QUEUE_AT_LIMIT:
            limit = several(shut.most or 0, "running job")
            return f"queue {job.queue!r} is at its limit of {limit}{_held_by(situation.holders)}"
        case Gate.QUEUE_OUT_OF_TOKENS:
            return f"queue {job.queue!r} is at its rate; its next job may begin{_from(shut)}"
        case Gate.RATE_COOLING:
            return f"{rate_of(job)} cools down{_until(shut)}{_for_reason(shut)}"
        case Gate.RATE_OUT_OF_TOKENS:
            return f"{rate_of(job)} is out of tokens{_until(shut)}"
        case Gate.SUSPECT_WAITS:
            return _behind_others(situation, job)


def _from(shut: ShutGate) -> str:
    return " later" if shut.ends_at is None else f" at {instant(shut.ends_at)}"


def _until(shut: ShutGate) -> str:
    return "" if shut.ends_at is None else f" until {instant(shut.ends_at)}"


def _by(shut: ShutGate) -> str:
    return f" by {shut.by}" if shut.by else ""


def _for_reason(shut: ShutGate) -> str:
    return f": {shut.reason}" if shut.reason else ""


def _held_by(holders: Sequence[str]) -> str:
    """
    >>> [_held_by(["a", "b", "c", "d", "e"][:number]) for number in (0, 1, 2, 5)]
    ['', ', held by job a', ', held by jobs a and b', ', held by jobs a, b, c and others']
    """
    if len(holders) <= 1:
        return "".join(f", held by job {id}" for id in holders)
    named = [*holders[:NAMED], "others"] if len(holders) > NAMED else list(holders)
    return f", held by jobs {', '.join(named[:-1])} and {named[-1]}"


def _unwilling(situation: ClaimSituation, job: JobRecord) -> str:
    if situation.serving == 1:
        return f"the only worker that serves queue {job.queue!r} takes"
    return f"all {situation.serving} workers that serve queue {job.queue!r} take"


def _reluctance(job: JobRecord, workers: Sequence[WorkerView]) -> str:
    """Which workers are paused, with the name of the operator, and which leave."""
    serving = [worker for worker in workers if worker.is_alive and job.queue in worker.queues]
    if not serving:
        return "paused, or about to leave"
    others = ", and others" if len(serving) > NAMED else ""
    return ", ".join(f"{worker.name} is {_rest(worker)}" for worker in serving[:NAMED]) + others


def _rest(worker: WorkerView) -> str:
    if worker.signal != "pause" and worker.state != "paused":
        return "about to leave"
    return f"paused by {worker.signalled_by}" if worker.signalled_by else "paused"


def _behind_others(situation: ClaimSituation, job: JobRecord) -> str:
    before = "1,000 or more jobs" if situation.ahead >= 1000 else several(situation.ahead, "job")
    comes = "comes" if situation.ahead == 1 else "come"
    serve = "serves" if situation.willing == 1 else "serve"
    return f"{before} of queue {job.queue!r} {comes} first; {several(situation.willing, 'worker')} {serve} it"


def _suspected(situation: ClaimSituation, job: JobRecord) -> str:
    """Why a suspect waits: a worker process has at most one in flight."""
    ahead = (
        f", and {several(situation.suspects_ahead, 'such job')} of its queue first" if situation.suspects_ahead else ""
    )
    serve = "serves" if situation.willing == 1 else "serve"
    return (
        f"workers died {several(job.crashes + job.rescues, 'time')} while it held this job, which may be the cause: a "
        f"worker process begins one such job at a time{ahead}; "
        f"{several(situation.willing, 'worker')} {serve} its queue"
    )


def rate_of(job: JobRecord) -> str:
    key = shown_rate_key(job.rate_key)
    return f"the rate of task {job.task!r}" + ("" if key in (None, WHOLE_TASK) else f" for the key {key!r}")
