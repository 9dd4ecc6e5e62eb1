"""Tasks as operators see them: their rates, and what of them cools down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core.rates.key import BETWEEN
from windlass.core.rates.rate import Rate, stored_rate
from windlass.insight.limits.cooldowns import CooldownView, cooldown_views
from windlass.store.operation import Operation
from windlass.store.operations.rates.cooldowns import Scope
from windlass.store.operations.rates.tasks import TaskRateRecord, task_rates


@dataclass(frozen=True, slots=True)
class TaskRateView:
    """How many jobs of a task, or of each of its rate keys, may begin in which time."""

    task: str
    rate: str | None
    """What holds, as in ``"30/min"``; None: no limit."""
    burst: int | None
    declared: str | None
    """What code says; None: nothing."""
    declared_burst: int | None
    changed_at: datetime | None
    """When an operator has set it; None where the code decides."""
    changed_by: str | None
    cooldowns: Sequence[CooldownView] = ()
    """Of the task, or of keys of its rate, that rest because a run was throttled."""


def task_rate_views(task: str | None = None) -> Operation[list[TaskRateView]]:
    """Of one task, or of all that have a rate or cool down, by name."""
    found = {record.task: record for record in (yield from task_rates(task))}
    cooling: dict[str, list[CooldownView]] = {}
    for view in (yield from cooldown_views(task=task)):
        if view.scope is Scope.TASK:
            cooling.setdefault(view.stored_name.partition(BETWEEN)[0], []).append(view)
    return [_view(found.get(name, TaskRateRecord(name)), cooling.get(name, ())) for name in sorted({*found, *cooling})]


def task_rate_view(task: str) -> Operation[TaskRateView]:
    """Of one task; it need not have a rate."""
    found = yield from task_rate_views(task)
    return found[0] if found else _view(TaskRateRecord(task), ())


def _view(record: TaskRateRecord, cooldowns: Sequence[CooldownView]) -> TaskRateView:
    holds, declared = record.rate, stored_rate(record.declared)
    return TaskRateView(
        task=record.task,
        rate=_text(holds),
        burst=None if holds is None else holds.burst,
        declared=_text(declared),
        declared_burst=None if declared is None else declared.burst,
        changed_at=clock.instant_or_none(record.changed_at),
        changed_by=record.changed_by,
        cooldowns=cooldowns,
    )


def _text(rate: Rate | None) -> str | None:
    return None if rate is None else str(rate)
