"""Limits, concurrency keys and cool-downs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.clock import iso
from windlass.insight.redact import redacted_text

if TYPE_CHECKING:
    from windlass.insight.limits.cooldowns import CooldownView
    from windlass.insight.limits.keys import BusyKey, BusyKeyPage, ConcurrencyView
    from windlass.insight.limits.limits import LimitView
    from windlass.insight.limits.tasks import TaskRateView


def limits(views: Sequence[LimitView]) -> dict[str, object]:
    """All named limits."""
    return {"limits": [limit(view) for view in views]}


def limit(view: LimitView) -> dict[str, object]:
    """A limit with its tokens and how many wait for one."""
    return {
        "name": view.name,
        "rate": view.rate,
        "burst": view.burst,
        "tokens": view.tokens,
        "next_seconds": view.next_in.total_seconds(),
        "waiting": view.waiting,
        "cooling": None if view.cooldown is None else cooldown(view.cooldown),
        "changed_at": iso(view.changed_at),
        "changed_by": view.changed_by,
    }


def busy_keys(page: BusyKeyPage) -> dict[str, object]:
    """A page of concurrency keys that jobs hold."""
    return {"keys": [_busy_key(key) for key in page], "next": page.next}


def _busy_key(key: BusyKey) -> dict[str, object]:
    return {
        "task": key.task,
        "key": key.key,
        "limit": key.limit,
        "held": key.held,
        "waiting": key.waiting,
        "holders": [{"id": id, "state": str(state)} for id, state in key.holders],
    }


def concurrencies(views: Sequence[ConcurrencyView]) -> dict[str, object]:
    """The limits of all tasks with concurrency keys."""
    return {"limits": [concurrency(view) for view in views]}


def concurrency(view: ConcurrencyView) -> dict[str, object]:
    """How many jobs of a task may hold the same concurrency key, and who says so."""
    return {
        "task": view.task,
        "limit": view.limit,
        "declared": view.declared,
        "changed_at": iso(view.changed_at),
        "changed_by": view.changed_by,
    }


def task_rates(views: Sequence[TaskRateView]) -> dict[str, object]:
    """The rates of all tasks that have one, or cool down."""
    return {"rates": [task_rate(view) for view in views]}


def task_rate(view: TaskRateView) -> dict[str, object]:
    """The rate of a task, what the code says, who says otherwise, and what cools down."""
    return {
        "task": view.task,
        "rate": view.rate,
        "burst": view.burst,
        "declared": view.declared,
        "declared_burst": view.declared_burst,
        "changed_at": iso(view.changed_at),
        "changed_by": view.changed_by,
        "cooling": [cooldown(each) for each in view.cooldowns],
    }


def cooldown(view: CooldownView) -> dict[str, object]:
    """Something that cools down: since and until when, and why."""
    return {
        "scope": str(view.scope),
        "name": view.name,
        "since": iso(view.since),
        "until": iso(view.until),
        "job": view.job,
        "reason": view.reason and redacted_text(view.reason),
    }
