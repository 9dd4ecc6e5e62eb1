"""Why a job is not due: its time, its cool-down, its sleep, the event that it waits for, or a worker that it needs."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.encryption.text import is_encrypted, key_id_of
from windlass.core.limits.concurrency import WHOLE_TASK
from windlass.core.rates.key import BETWEEN
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.insight.why.duties import when_due
from windlass.insight.why.texts import instant, length
from windlass.insight.workers import WorkerView
from windlass.store.operations.gates import ClaimSituation
from windlass.store.operations.rates.cooldowns import CooldownRecord, Scope
from windlass.store.operations.steps.steps import StepRecord
from windlass.task import COMMAND


def not_due(situation: ClaimSituation, job: JobRecord, workers: Sequence[WorkerView]) -> str:
    due = when_due(situation, workers)
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


def throttled(job: JobRecord, cooling: Sequence[CooldownRecord]) -> str:
    """What cools down, if that is known: of a limit only its own task knows that it uses it."""
    its_own = ((Scope.TASK, job.task), (Scope.TASK, job.rate_key), (Scope.QUEUE, job.queue))
    known = [each for each in cooling if each.job == job.id or (each.scope, each.name) in its_own]
    return "; also, ".join(_cools_down(each) for each in known) or "its last run was throttled"


def without_token(limit: str, cooling: Sequence[CooldownRecord]) -> str:
    """What a job waits for that has snoozed until a named limit has a token for it."""
    rests = [_cools_down(each) for each in cooling if (each.scope, each.name) == (Scope.LIMIT, limit)]
    return "; also, ".join([f"it waits for a token of limit {limit!r}", *rests])


def _cools_down(each: CooldownRecord) -> str:
    name, _, key = each.name.partition(BETWEEN)
    of_key = f" (rate key {key!r})" if key not in ("", WHOLE_TASK) else ""
    reason = f": {each.reason}" if each.reason else ""
    return f"{each.scope} {name!r}{of_key} cools down until {instant(each.ends_at)}{reason}"


def asleep(steps: Sequence[StepRecord]) -> str:
    """The newest sleep of a job that sleeps."""
    sleeps = [step for step in steps if step.wake_at is not None]
    if not sleeps:
        return "it sleeps"
    named = "" if sleeps[-1].name.startswith("#") else f" ({sleeps[-1].name})"
    return f"it sleeps{named}, as its task asked for, until {instant(sleeps[-1].wake_at or 0)}"


def awaiting(situation: ClaimSituation, steps: Sequence[StepRecord], workers: Sequence[WorkerView]) -> str:
    """What a job waits for that waits for an event."""
    waits = [step for step in steps if step.event is not None and step.ended_at is None]
    what = f"the event {waits[-1].event!r}" if waits else "an event"
    sentence = f"it waits for {what}, which app.send(...) gives"
    if waits and waits[-1].wake_at is None:
        return f"{sentence}, for as long as it takes"
    return f"{sentence}; its time limit for that is {when_due(situation, workers)}"


def latest_start(job: JobRecord) -> str:
    return "in time" if job.start_by is None else f"by {instant(job.start_by)}"


def expiry(situation: ClaimSituation, job: JobRecord) -> str:
    """A clause for a job that has to start in time; empty for others."""
    if job.start_by is None:
        return ""
    left = job.start_by - (job.run_at - situation.due_in)
    if left <= 0:
        return "; it has expired, and the next promotion cancels it"
    return f"; it expires in {length(left)} unless it starts"
