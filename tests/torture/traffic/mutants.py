"""Bugs of schedules, limits, keys and rates that the rack must find."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import count
from typing import Any

from msgspec.structs import replace

from tests.torture.planting import Mutant, edit, edit_script, replace_everywhere, set_attribute, together
from windlass.store.operation import Call
from windlass.store.operations.schedules.fire import fire
from windlass.store.operations.schedules.records import ScheduleRecord
from windlass.store.operations.schedules.steps import Step, steps
from windlass.worker.duties.schedules.firing import Firing


def _fired_again() -> None:
    """One fire in seven is repeated, as after a lost reply, with new jobs."""
    really, numbers = fire, count()

    def again(lead: Any, wanted: Sequence[Step]) -> Generator[Call, Any, Any]:
        results = yield from really(lead, wanted)
        if next(numbers) % 7 == 6:
            yield from really(lead, [_with_new_job(step) for step in wanted])
        return results

    replace_everywhere(really, again)


def _with_new_job(step: Step) -> Step:
    if step.job is None:
        return step
    id = f"{step.job.id}-again"
    return replace(step, job=replace(step.job, id=id), row=replace(step.row, job=id))


def _slots_skipped_by_new_leaders() -> None:
    """A process that has just become the leader begins with the present, and forgets what was due before."""
    really, plan = Firing.round, steps
    terms: set[int] = set()
    is_new = False

    def round(self: Firing, lead: Any) -> Any:
        nonlocal is_new
        is_new = lead.term not in terms
        terms.add(lead.term)
        return really(self, lead)

    def planned(record: ScheduleRecord, *, now: int, make: Any) -> list[Step]:
        return plan(replace(record, planned_at=now) if is_new else record, now=now, make=make)

    set_attribute(Firing, "round", round)
    replace_everywhere(plan, planned)


_MARKED = "look_at_ending(lease, held_field(seq, fence))"
_FREED = "local key = redis.call('HGET', job_key(written(seq)), 'concurrency_key')"

OF_TRAFFIC: dict[str, Mutant] = {
    "slot fired twice": Mutant(
        together(
            edit(
                "schedule_fire",
                (" AS is_repeated", " AND false AS is_repeated"),
                (" AND schedule.revision = step.value ->> 1", ""),
            ),
            _fired_again,
        ),
        "sqlite",
        ("I7",),
    ),
    "slot skipped at a change of leader": Mutant(_slots_skipped_by_new_leaders, "sqlite", ("I7",)),
    "counter leaked by a rescue": Mutant(
        edit("rescue", ("running = gate.running - freed.number", "running = gate.running"), store="postgres"),
        "postgres",
        ("I13",),
    ),
    "ending counted twice": Mutant(
        edit(
            "cycle",
            (
                "running = running - (SELECT count(*) FROM ended",
                "running = max(0, running - 2 * (SELECT count(*) FROM ended",
            ),
            (
                "name IN ('*', queue))\nWHERE name IN (SELECT '*' UNION ALL SELECT queue FROM ended)",
                "name IN ('*', queue)))\nWHERE name IN (SELECT '*' UNION ALL SELECT queue FROM ended)",
            ),
        ),
        "sqlite",
        ("I13",),
    ),
    "key released when its run has begun": Mutant(
        together(
            edit_script(
                "cycle", _MARKED, f"{_MARKED} {_FREED} if key then free_concurrency_key(key, written(seq)) end"
            ),
            edit_script("cycle", "give('marked', marked)", "give('marked', marked) settle_keys(try)"),
        ),
        "redis",
        ("I13",),
    ),
    "next job of a key forgotten": Mutant(
        edit_script("cycle", "for key in pairs(GATES.freed) do unblock(key) end", ""), "redis", ("I13", "I6")
    ),
    "token of a queue minted twice": Mutant(
        edit_script("cycle", "rate.amount * math.max", "2 * rate.amount * math.max"), "redis", ("I14",)
    ),
    "token of a limit minted twice": Mutant(
        edit("limit_take", ("level + amount * min(", "level + 2 * amount * min(")), "sqlite", ("I14",)
    ),
}
