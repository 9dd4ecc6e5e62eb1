"""Finds the schedules that are due, and fires their slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.schedules.records import FireResult, ScheduleRecord
from windlass.store.operations.schedules.steps import Step
from windlass.store.operations.schedules.versions import LIVE_FOR
from windlass.store.operations.upkeep.leader import Lead
from windlass.store.pages import PAGE_BYTES

DUE_AT_ONCE = 200
"""How many schedules one look gives at the most."""
FIRES_KEPT = 200
"""How many rows the ledger of fires keeps for one schedule, a few more at times; the oldest go."""


class Due(Struct, frozen=True):
    """What a leader has to know now."""

    now: int
    next_in: int | None
    """Milliseconds until the next schedule is due, below zero if one is overdue; None where none will be."""
    live: tuple[str, ...]
    """The versions of the code that are live, in the order in which they were first seen."""
    schedules: list[ScheduleRecord]
    """Those that are due, the longest overdue first, as many as one call can carry."""
    vanished: list[str]
    """Those that are due and whose data is gone, evicted or deleted by hand (Redis)."""


def due(*, limit: int = DUE_AT_ONCE) -> Operation[Due]:
    """Which schedules are due. Costs the same beside one schedule and beside ten thousand."""
    params = {"limit": limit, "bytes": PAGE_BYTES, "live_for": LIVE_FOR}
    answer = yield Call("schedule_due", params, Lane.READ)
    [(now, next_at, live)] = answer["next"]
    found = records(answer["schedules"], ScheduleRecord)
    vanished = [name for (name,) in answer.get("vanished", ())]
    return Due(now, None if next_at is None else next_at - now, tuple((live or "").split()), found, vanished)


def fire(lead: Lead, steps: Sequence[Step]) -> Operation[list[FireResult] | None]:
    """Take one step with each of these schedules, by the leader of this term; None where it leads no more.

    Each step is whole or not taken at all: the job, the ledger and the advance of the schedule are one transaction. A
    step whose schedule has another revision by now is not taken and is not in the answer, so a repeat after a lost
    reply does nothing. A schedule that another call has in hand is passed by as well.
    """
    taken: list[FireResult] = []
    for part in _with_distinct_keys(steps):
        results = yield from _fire_at_once(lead, part)
        if results is None:
            return taken or None
        taken += results
    return taken


def _with_distinct_keys(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """The steps in order, cut where a unique key comes again: whether its first job holds it is known after a call."""
    part: list[Step] = []
    keys: set[str] = set()
    for step in steps:
        key = None if step.job is None else step.job.unique_key
        if key in keys:
            yield part
            part, keys = [], set()
        part.append(step)
        if key is not None:
            keys.add(key)
    if part:
        yield part


def _fire_at_once(lead: Lead, steps: Sequence[Step]) -> Operation[list[FireResult] | None]:
    jobs = [step.job for step in steps if step.job is not None]
    keys = [
        (step.job.id, step.job.unique_key, step.uniqueness.until, step.uniqueness.window)
        for step in steps
        if step.job is not None and step.uniqueness is not None
    ]
    params: dict[str, Any] = {
        "duty": lead.duty,
        "holder": lead.holder,
        "term": lead.term,
        "steps": [step.row for step in steps],
        "jobs": jobs,
        "keys": keys,
        "queues": sorted({job.queue for job in jobs}),
        "kept": FIRES_KEPT,
    }
    answer = yield Call("schedule_fire", params)
    return None if "stale" in answer else records(answer["taken"], FireResult)
