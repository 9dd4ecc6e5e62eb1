"""Why a job is not running, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from windlass import clock
from windlass.core.encryption.text import is_encrypted, key_id_of
from windlass.core.limits.concurrency import WHOLE_TASK, shown_key
from windlass.core.rates.key import shown_gate, shown_rate_key
from windlass.core.records import JobRecord
from windlass.core.state import DUE_LATER, FINISHED, State
from windlass.errors import JobNotFound
from windlass.insight.timeline import detail_of
from windlass.insight.workers import WorkerView, worker_views
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.flows.edges import Relative, parents
from windlass.store.operations.flows.groups import MEMBERS_FROM, group_counts, members
from windlass.store.operations.gates import HOLDERS, ClaimSituation, Gate, ShutGate, gates
from windlass.store.operations.limits.concurrency import NOTHING_KNOWN, KeyLine, key_line
from windlass.store.operations.queries import EventRecord
from windlass.store.operations.rates.cooldowns import CooldownRecord, Scope, cooldowns
from windlass.store.operations.rates.tasks import TaskRateRecord, task_rates
from windlass.store.operations.steps.steps import StepRecord, steps_of
from windlass.task import COMMAND

_LATE = 5000
"""Milliseconds after which upkeep should have been done."""
_NAMED = HOLDERS - 1
"""So many of the jobs that run under a limit are named."""


def why(job: JobRecord) -> Operation[str]:
    """Read what keeps the job from running, and explain it; ``JobNotFound`` when the job is gone."""
    found = yield from gates(job.seq)
    if found is None:
        raise JobNotFound(f"no job has the id {job.id!r}")
    workers = (yield from worker_views()) if needs_upkeep(found) and not found.is_tended else []
    if found.state is State.SCHEDULED and found.reason == "throttled":
        return f"{_throttled(job, (yield from cooldowns()))}; it is scheduled, {_due(found, workers)}"
    if found.state is State.SCHEDULED and found.reason == "sleep":
        return f"{_asleep((yield from steps_of(job.seq)))}; it is scheduled, {_due(found, workers)}"
    if found.state is State.SCHEDULED and found.reason == "event":
        return _awaiting(found, (yield from steps_of(job.seq)), workers)
    if found.state is State.BLOCKED:
        if found.reason == "parents":
            return (yield from _waits_for_parents(job.seq)) + _expiry(found, job)
        chosen = _chosen((yield from task_rates(job.task))) if found.reason == "rate" else ""
        return _blocked(found, job, (yield from key_line(job.seq))) + chosen + _expiry(found, job)
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
    """The first closed gate, by the same conditions as the claim.

    ``workers`` are read where the job needs duties and no process is known to do them.
    """
    match situation.state:
        case State.RUNNING:
            return _running(situation, job, events, workers)
        case State.COMPLETED:
            return "it is completed"
        case State.CANCELLED if situation.reason == "expired":
            return f"it is cancelled (expired): it had not started {_latest(job)}; retry it to run it all the same"
        case State.CANCELLED if situation.reason == "dependency":
            return "it is cancelled (dependency): a job that it waited for did not complete; retry that one, or this"
        case State.CANCELLED:
            return f"it is cancelled{_left_behind(job, events)}"
        case State.FAILED:
            return f"it failed ({situation.reason}){_left_behind(job, events)}; retry it to run it again"
        case State.SCHEDULED | State.RETRYING:
            return _not_due(situation, job, workers) + _expiry(situation, job)
        case State.BLOCKED:
            return _blocked(situation, job, NOTHING_KNOWN) + _expiry(situation, job)
        case State.PENDING:
            return _pending(situation, job) + _expiry(situation, job)


def _asleep(steps: Sequence[StepRecord]) -> str:
    """The newest sleep of a job that sleeps."""
    sleeps = [step for step in steps if step.wake_at is not None]
    if not sleeps:
        return "it sleeps"
    named = "" if sleeps[-1].name.startswith("#") else f" ({sleeps[-1].name})"
    return (
        f"it sleeps{named}, as its task asked for, until {clock.instant(sleeps[-1].wake_at or 0):%Y-%m-%d %H:%M:%S} UTC"
    )


def _awaiting(situation: ClaimSituation, steps: Sequence[StepRecord], workers: Sequence[WorkerView]) -> str:
    """What a job waits for that waits for an event."""
    waits = [step for step in steps if step.event is not None and step.ended_at is None]
    what = f"the event {waits[-1].event!r}" if waits else "an event"
    sentence = f"it waits for {what}, which app.send(...) gives"
    if waits and waits[-1].wake_at is None:
        return f"{sentence}, for as long as it takes"
    return f"{sentence}; its time limit for that is {_due(situation, workers)}"


def _latest(job: JobRecord) -> str:
    return "in time" if job.start_by is None else f"by {clock.instant(job.start_by):%Y-%m-%d %H:%M:%S} UTC"


def _expiry(situation: ClaimSituation, job: JobRecord) -> str:
    """A clause for a job that has to start in time; empty for others."""
    if job.start_by is None:
        return ""
    left = job.start_by - (job.run_at - situation.due_in)
    if left <= 0:
        return "; it has expired, and the next promotion cancels it"
    return f"; it expires in {_length(left)} unless it starts"


def _running(
    situation: ClaimSituation, job: JobRecord, events: Sequence[EventRecord], workers: Sequence[WorkerView]
) -> str:
    if situation.is_over:
        return f"{_lost_owner(situation, job)}; {_rescued_when(situation, workers)}"
    return f"it is running on {situation.worker}{_time_over(situation, job, events)}{_asked(job)}"


def _lost_owner(situation: ClaimSituation, job: JobRecord) -> str:
    who = f"{situation.worker}, who claimed it by hand," if job.is_manual_claim else f"its worker {situation.worker}"
    return (
        f"{who} is gone" if situation.silent is None else f"{who} has not been heard of for {_passed(situation.silent)}"
    )


def _has_duties(situation: ClaimSituation, workers: Sequence[WorkerView]) -> bool:
    """Whether a process does the duties; a worker that has just started does them before it leads."""
    return situation.is_tended or any(worker.does_upkeep for worker in workers)


def _rescued_when(situation: ClaimSituation, workers: Sequence[WorkerView]) -> str:
    if _has_duties(situation, workers):
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
                f"; its time limit of {detail.get('limit', 0):g} s is over since {_passed(since)}; it is in a call "
                "that cannot be interrupted"
            )
    return ""


def _asked(job: JobRecord) -> str:
    if job.cancel_requested_at is None:
        return ""
    return f"; asked to stop at {clock.instant(job.cancel_requested_at):%Y-%m-%d %H:%M:%S} UTC, it has not stopped yet"


def _left_behind(job: JobRecord, events: Sequence[EventRecord]) -> str:
    """A clause for a job whose last run was abandoned and may still execute; empty for others."""
    for event in events:
        if event.kind == "abandoned" and event.fence == job.fence:
            return f", but its run on {event.worker} would not stop and may still be at work"
    return ""


def _not_due(situation: ClaimSituation, job: JobRecord, workers: Sequence[WorkerView]) -> str:
    due = _due(situation, workers)
    if situation.reason == "unknown_task" and job.task == COMMAND:
        return (
            f"no worker that met it allows commands ({due}); start one with windlass worker --allow-commands, or "
            "app.worker(allow_commands=True)"
        )
    if situation.reason == "unknown_task":
        return (
            f"no worker that met it knows the task {job.task!r} ({due}); deploy a worker that registers it, or, for a "
            "plain function, allow its module with Windlass(importable=[...])"
        )
    if situation.reason == "no_key":
        key = (is_encrypted(job.payload) and key_id_of(job.payload)) or "that a text of it is encrypted under"
        return (
            f"no worker that met it has the encryption key {key} ({due}); give workers that key with encryption_keys="
            "[...], $WINDLASS_ENCRYPTION_KEYS or $WINDLASS_ENCRYPTION_KEYS_FILE"
        )
    if situation.reason == "newer_format":
        return f"its payload was written by a newer Windlass; upgrade the workers ({due})"
    if situation.state is State.RETRYING:
        return f"attempt {job.attempt} of {job.max_attempts} failed; the next is {due}"
    return f"it is scheduled, {due}"


def _throttled(job: JobRecord, cooling: Sequence[CooldownRecord]) -> str:
    """What cools down, if that is known: of a limit only its own task knows that it uses it."""
    for each in cooling:
        its_own = ((Scope.TASK, job.task), (Scope.TASK, job.rate_key), (Scope.QUEUE, job.queue))
        if each.job == job.id or (each.scope, each.name) in its_own:
            reason = f": {each.reason}" if each.reason else ""
            return f"{each.scope} {shown_gate(each.name)!r} cools down until {_instant(each.ends_at)}{reason}"
    return "its last run was throttled"


def _due(situation: ClaimSituation, workers: Sequence[WorkerView]) -> str:
    if situation.due_in > 0:
        return f"due in {_length(situation.due_in)}"
    if _has_duties(situation, workers):
        return "due now, waiting to be promoted"
    which = "worker without --no-duties" if any(worker.is_alive for worker in workers) else "worker"
    return f"overdue by {_passed(-situation.due_in)}: no {which} and no `windlass duties` runs that would promote it"


def _pending(situation: ClaimSituation, job: JobRecord) -> str:
    if situation.shut:
        return _kept_by(situation.shut[0], situation, job)
    if job.crashes + job.rescues > 0:
        return _suspected(situation, job)
    if situation.ahead:
        return _behind_others(situation, job)
    return "it is next in line and waits for a free slot"


def _blocked(situation: ClaimSituation, job: JobRecord, line: KeyLine) -> str:
    if situation.reason == "rate":
        return _without_token(situation, job) + _first_of_key(line)
    if job.concurrency_key is None:
        return "it waits for other jobs"
    key = f"its concurrency key {shown_key(job.concurrency_key)!r}"
    if not line.holders:
        return f"it waits for {key}, which is free: it will go on in a moment"
    holders = ", ".join(f"{id}{_next_holder(state)}" for id, state in line.holders)
    return f"it waits for {key}, which is held by {holders}{_first_of_key(line)}"


def _first_of_key(line: KeyLine) -> str:
    """A clause for the jobs that wait at the same gate and come first; empty where there are none."""
    if not line.ahead:
        return ""
    ahead = "1,000 or more jobs" if line.ahead >= 1000 else _several(line.ahead, "job")
    return f"; {ahead} of the key {'comes' if line.ahead == 1 else 'come'} first"


def _without_token(situation: ClaimSituation, job: JobRecord) -> str:
    for shut in situation.shut:
        if shut.gate in (Gate.RATE_COOLING, Gate.RATE_OUT_OF_TOKENS):
            return _kept_by(shut, situation, job) + _left_waiting(shut, situation, job)
    return f"{_rate_of(job)} has a token for it: it will go on in a moment"


def _left_waiting(shut: ShutGate, situation: ClaimSituation, job: JobRecord) -> str:
    """A clause for a job that should have gone on; empty for others."""
    is_late = shut.ends_at is not None and shut.ends_at < job.run_at - situation.due_in - _LATE
    if not is_late or situation.is_tended:
        return ""
    return ", but no worker without --no-duties and no `windlass duties` runs that would let it go"


def _rate_of(job: JobRecord) -> str:
    key = shown_rate_key(job.rate_key)
    return f"the rate of task {job.task!r}" + ("" if key in (None, WHOLE_TASK) else f" for the key {key!r}")


def _chosen(rates: Sequence[TaskRateRecord]) -> str:
    """A clause for a rate that an operator has set; empty for others."""
    for rate in rates:
        if rate.chosen is not None and rate.changed_at is not None:
            return f"; {rate.changed_by} has set it to {rate.rate or 'no limit'} at {_instant(rate.changed_at)}"
    return ""


def _waits_for_parents(seq: int) -> Operation[str]:
    named = yield from parents(seq)
    if any(parent.is_open for parent in named if parent.place < MEMBERS_FROM):
        return _waits_for([parent for parent in named if parent.place < MEMBERS_FROM])
    counts = yield from group_counts(seq)
    if not counts:
        return _waits_for(named)
    return (yield from _waits_for_members(seq, counts))


def _waits_for_members(seq: int, counts: Mapping[State | None, int]) -> Operation[str]:
    """Says how many members have not ended, or have to be retried, and names the first of them."""
    unfinished = sum(number for state, number in counts.items() if state is not None and state not in FINISHED)
    failed = sum(number for state, number in counts.items() if state in (State.FAILED, State.CANCELLED, None))
    wanted = unfinished or failed
    if not wanted:
        return _waits_for([])
    first: list[Relative] = []
    after = -1
    while len(first) < _NAMED and (page := (yield from members(seq, after=after))):
        first += [
            member
            for member in page
            if (member.state is not None and member.state not in FINISHED)
            or (not unfinished and member.state is not State.COMPLETED)
        ]
        after = page[-1].place
    named = [f"{member.id or 'one that is gone'} ({member.state or 'deleted'})" for member in first[:_NAMED]]
    others = ", ..." if wanted > len(named) else ""
    remedy = "" if unfinished else "; what did not complete has to be retried"
    total = _several(sum(counts.values()), "member")
    return f"it waits for {wanted:,} of {total} of its group: {', '.join(named)}{others}{remedy}"


def _waits_for(parents: Sequence[Relative]) -> str:
    """Names the parents that have not ended, the first of them."""
    open_ones = [parent for parent in parents if parent.is_open]
    if not open_ones:
        return "the jobs that it waited for have ended: it will go on in a moment"
    named = [f"{parent.id or 'one that is gone'} ({parent.state or 'deleted'})" for parent in open_ones[:_NAMED]]
    more = len(open_ones) - len(named)
    others = f" and {_several(more, 'other job')}" if more else ""
    failed = any(parent.state in (State.FAILED, State.CANCELLED, None) for parent in open_ones)
    remedy = "; what did not complete has to be retried" if failed else ""
    return f"it waits for {', '.join(named)}{others} to complete{remedy}"


def _next_holder(state: State) -> str:
    return " (to run next)" if state is State.PENDING else ""


def _kept_by(shut: ShutGate, situation: ClaimSituation, job: JobRecord) -> str:
    """What is said of a gate; the type checker misses a gate of which nothing is."""
    match shut.gate:
        case Gate.EVERYTHING_PAUSED:
            return f"all queues are paused{_for_reason(shut)}"
        case Gate.QUEUE_PAUSED:
            return f"queue {job.queue!r} is paused{_for_reason(shut)}"
        case Gate.QUEUE_COOLING:
            return f"queue {job.queue!r} cools down{_until(shut)}{_for_reason(shut)}"
        case Gate.NO_WORKER:
            return f"no worker serves queue {job.queue!r}"
        case Gate.NO_WILLING_WORKER:
            return f"{_unwilling(situation, job)} no jobs now: paused, or about to leave"
        case Gate.APP_AT_LIMIT:
            return f"as many jobs run as may run at once, {shut.most} in all{_held_by(situation.holders)}"
        case Gate.QUEUE_AT_LIMIT:
            limit = _several(shut.most or 0, "running job")
            return f"queue {job.queue!r} is at its limit of {limit}{_held_by(situation.holders)}"
        case Gate.QUEUE_OUT_OF_TOKENS:
            return f"queue {job.queue!r} is at its rate; its next job may begin{_from(shut)}"
        case Gate.RATE_COOLING:
            return f"{_rate_of(job)} cools down{_until(shut)}{_for_reason(shut)}"
        case Gate.RATE_OUT_OF_TOKENS:
            return f"{_rate_of(job)} is out of tokens{_until(shut)}"
        case Gate.SUSPECT_WAITS:
            return _behind_others(situation, job)


def _from(shut: ShutGate) -> str:
    return " later" if shut.ends_at is None else f" at {_instant(shut.ends_at)}"


def _until(shut: ShutGate) -> str:
    return "" if shut.ends_at is None else f" until {_instant(shut.ends_at)}"


def _instant(milliseconds: int) -> str:
    return f"{clock.instant(milliseconds):%Y-%m-%d %H:%M:%S} UTC"


def _for_reason(shut: ShutGate) -> str:
    return f": {shut.reason}" if shut.reason else ""


def _held_by(holders: Sequence[str]) -> str:
    """
    >>> [_held_by(["a", "b", "c", "d", "e"][:number]) for number in (0, 1, 2, 5)]
    ['', ', held by job a', ', held by jobs a and b', ', held by jobs a, b, c and others']
    """
    if len(holders) <= 1:
        return "".join(f", held by job {id}" for id in holders)
    named = [*holders[:_NAMED], "others"] if len(holders) > _NAMED else list(holders)
    return f", held by jobs {', '.join(named[:-1])} and {named[-1]}"


def _unwilling(situation: ClaimSituation, job: JobRecord) -> str:
    if situation.serving == 1:
        return f"the only worker that serves queue {job.queue!r} takes"
    return f"all {situation.serving} workers that serve queue {job.queue!r} take"


def _behind_others(situation: ClaimSituation, job: JobRecord) -> str:
    before = "1,000 or more jobs" if situation.ahead >= 1000 else _several(situation.ahead, "job")
    comes = "comes" if situation.ahead == 1 else "come"
    serve = "serves" if situation.willing == 1 else "serve"
    return f"{before} of queue {job.queue!r} {comes} first; {_several(situation.willing, 'worker')} {serve} it"


def _suspected(situation: ClaimSituation, job: JobRecord) -> str:
    """Why a suspect waits: a worker process has at most one in flight."""
    ahead = (
        f", and {_several(situation.suspects_ahead, 'such job')} of its queue first" if situation.suspects_ahead else ""
    )
    serve = "serves" if situation.willing == 1 else "serve"
    return (
        f"workers died {_several(job.crashes + job.rescues, 'time')} while it held this job, which may be the cause: a "
        f"worker process begins one such job at a time{ahead}; "
        f"{_several(situation.willing, 'worker')} {serve} its queue"
    )


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _length(milliseconds: int) -> str:
    return str(timedelta(seconds=max(1, round(milliseconds / 1000))))


def _passed(milliseconds: int) -> str:
    """
    >>> [_passed(seconds * 1000) for seconds in (2, 35, 200, 7200, 500_000)]
    ['2.0 s', '35 s', '3 min', '2 h', '6 days']
    """
    seconds = max(0, milliseconds) / 1000
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < most:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds / 86_400)} days"
