"""What a blocked job waits for: its concurrency key, or a token of its rate."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.limits.concurrency import shown_key
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.insight.why.shut_gates import RATES, kept_by, rate_of
from windlass.insight.why.texts import instant, several
from windlass.store.operation import Operation
from windlass.store.operations.gates import ClaimSituation, ShutGate
from windlass.store.operations.limits.concurrency import HOLDERS_SHOWN, KeyLine, key_line, limits
from windlass.store.operations.rates.tasks import TaskRateRecord

_LATE = 5000
"""Milliseconds after which upkeep should have been done."""


def blocked(situation: ClaimSituation, job: JobRecord, line: KeyLine) -> str:
    if situation.reason == "rate":
        return _without_token(situation, job) + _first_of_key(line)
    if job.concurrency_key is None:
        return "it waits for other jobs"
    key = f"its concurrency key {shown_key(job.concurrency_key)!r}"
    if not line.holders:
        return f"it waits for {key}, which is free: it will go on in a moment"
    return f"it waits for {key}, which is held by {_named(line.holders)}{_first_of_key(line)}"


def full_key(job: JobRecord) -> Operation[str]:
    """A clause for a job that waits for something else first, and for its concurrency key then; empty for others."""
    if job.concurrency_key is None:
        return ""
    known = yield from limits(job.task)
    most = next((record.concurrency or record.declared for record in known), None) or 1
    holders = (yield from key_line(job.seq, holders=most)).holders
    if len(holders) < most or job.id in (id for id, _ in holders):
        return ""
    key = shown_key(job.concurrency_key)
    return f"; also, its concurrency key {key!r} is held by {_named(holders[:HOLDERS_SHOWN])}"


def _named(holders: Sequence[tuple[str, State]]) -> str:
    return ", ".join(f"{id} (to run next)" if state is State.PENDING else id for id, state in holders)


def _first_of_key(line: KeyLine) -> str:
    """A clause for the jobs that wait at the same gate and come first; empty where there are none."""
    if not line.ahead:
        return ""
    ahead = "1,000 or more jobs" if line.ahead >= 1000 else several(line.ahead, "job")
    return f"; {ahead} of the key {'comes' if line.ahead == 1 else 'come'} first"


def _without_token(situation: ClaimSituation, job: JobRecord) -> str:
    for shut in situation.shut:
        if shut.gate in RATES:
            return kept_by(shut, situation, job) + _left_waiting(shut, situation, job)
    return f"{rate_of(job)} has a token for it: it will go on in a moment"


def _left_waiting(shut: ShutGate, situation: ClaimSituation, job: JobRecord) -> str:
    """A clause for a job that should have gone on; empty for others."""
    is_late = shut.ends_at is not None and shut.ends_at < job.run_at - situation.due_in - _LATE
    if not is_late or situation.is_tended:
        return ""
    return ", but no worker without --no-duties and no `windlass duties` runs that would let it go"


def chosen_rate(rates: Sequence[TaskRateRecord]) -> str:
    """A clause for a rate that an operator has set; empty for others."""
    for rate in rates:
        if rate.chosen is not None and rate.changed_at is not None:
            return f"; {rate.changed_by} has set it to {rate.rate or 'no limit'} at {instant(rate.changed_at)}"
    return ""
