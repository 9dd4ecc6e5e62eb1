"""Named limits as people see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass import clock
from windlass.core.rates.bucket import Bucket
from windlass.insight.limits.cooldowns import CooldownView, cooldown_views
from windlass.store.operation import Operation
from windlass.store.operations.rates.cooldowns import Scope
from windlass.store.operations.rates.limits import LimitRecord, limits


@dataclass(frozen=True, slots=True)
class LimitView:
    """A limit at the moment of the read."""

    name: str
    rate: str
    """As in ``"30/min"``."""
    burst: int
    tokens: int
    """How many tokens there are."""
    next_in: timedelta
    """When the next one is there; nothing if there is one."""
    waiting: int
    """How many callers wait for a token, or have snoozed until theirs is due; counted up to 1,000."""
    cooldown: CooldownView | None
    changed_at: datetime | None
    changed_by: str | None
    """The operator that has set it; None where only the code has."""


def limit_views(name: str | None = None) -> Operation[list[LimitView]]:
    """One limit, or all by name."""
    found, now = yield from limits(name)
    cooling = {view.name: view for view in (yield from cooldown_views()) if view.scope is Scope.LIMIT} if found else {}
    return [_view(limit, limit.bucket(now), cooling.get(limit.name)) for limit in found]


def _view(limit: LimitRecord, bucket: Bucket, cooldown: CooldownView | None) -> LimitView:
    return LimitView(
        name=limit.name,
        rate=str(limit.rate),
        burst=limit.burst,
        tokens=bucket.tokens,
        next_in=timedelta(milliseconds=bucket.due_in()),
        waiting=limit.waiting,
        cooldown=cooldown,
        changed_at=clock.instant_or_none(limit.changed_at),
        changed_by=limit.changed_by,
    )
