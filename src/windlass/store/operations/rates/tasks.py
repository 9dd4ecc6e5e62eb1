"""Rates of tasks: how many of their jobs with the same key begin in which time.

Claims take the tokens and block the jobs for which there is none; promote lets these go when there is one. Here is what
is declared, and what operators choose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from windlass.core.rates.rate import Rate, stored_rate, write_rate
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

NO_RATE = "[]"
"""What an operator has chosen for a task that is to have no rate."""


class TaskRateRecord(Struct, frozen=True, array_like=True):
    """The rate of a task: what code declares, unless an operator has chosen another."""

    task: str
    declared: str | None = None
    chosen: str | None = None
    changed_at: int | None = None
    changed_by: str | None = None

    @property
    def rate(self) -> Rate | None:
        """What holds."""
        return stored_rate(self.declared if self.chosen is None else self.chosen)


def declare_rates(rates: Mapping[str, Rate], *, without: Iterable[str] = ()) -> Operation[None]:
    """Say what the rate of each task is, as the code has it, and which tasks have none; what an operator has chosen
    goes before it.

    A bucket keeps its whole tokens, as far as a new burst has room for them. Jobs that wait for a rate that has
    changed, or is gone, are looked at by the next promote. Repeating it changes nothing.
    """
    limits = [(task, write_rate(rate)) for task, rate in sorted(rates.items())]
    gone = sorted(without)
    tasks = [(task,) for task in sorted({*rates, *gone})]
    yield Call("rate_limits_declare", {"limits": limits, "without": [(task,) for task in gone], "tasks": tasks})


def task_rates(task: str | None = None) -> Operation[list[TaskRateRecord]]:
    """The rate of one task, or of all tasks that have one, by name."""
    answer = yield Call("task_rates", {"task": task}, Lane.READ)
    return records(answer["rates"], TaskRateRecord)


def change_rate(task: str, chosen: str | None, *, by: str, seen: int | None = None) -> Operation[bool]:
    """Set the rate of a task, whatever the code says: as ``write_rate`` writes it, or ``NO_RATE``; None lets the code
    decide again. False when an operator has changed it since ``seen``, 0 for never (see ``queues.change``).

    Buckets and jobs that wait fare as with ``declare_rates``. Repeating it changes nothing but the time.
    """
    answer = yield Call(
        "task_rate_change", {"task": task, "chosen": chosen, "by": by, "seen": seen, "tasks": [(task,)]}
    )
    return bool(answer["changed"])
