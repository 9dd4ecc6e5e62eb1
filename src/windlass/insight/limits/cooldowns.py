"""Cool-downs as people see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core.rates.key import shown_gate
from windlass.store.operation import Operation
from windlass.store.operations.rates.cooldowns import CooldownRecord, Scope, cooldowns


@dataclass(frozen=True, slots=True)
class CooldownView:
    """A queue, a task or a limit that rests because a run was throttled."""

    scope: Scope
    name: str
    since: datetime
    until: datetime
    job: str
    """The id of the job whose run was throttled."""
    reason: str | None
    stored_name: str = ""
    """What the store calls it: with the key of a task's rate."""


def cooldown_views(*, task: str | None = None) -> Operation[list[CooldownView]]:
    """The cool-downs that last, all or those of one task."""
    found = yield from cooldowns(task=task)
    return [_view(record) for record in found]


def _view(record: CooldownRecord) -> CooldownView:
    return CooldownView(
        scope=record.scope,
        name=shown_gate(record.name),
        since=clock.instant(record.began_at),
        until=clock.instant(record.ends_at),
        job=record.job,
        reason=record.reason,
        stored_name=record.name,
    )
