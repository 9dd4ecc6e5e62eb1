"""Queues and their settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from windlass.clock import iso
from windlass.insight.json_forms.limits import cooldown

if TYPE_CHECKING:
    from windlass.core.rates.cooldown import Cooldown
    from windlass.core.retry import Retry
    from windlass.insight.overview import QueueView
    from windlass.options.queues import QueueSettings
    from windlass.retention import Retention


def queues(views: Sequence[QueueView], everywhere: QueueSettings) -> dict[str, object]:
    """All queues, and what holds for all of them together."""
    return {
        "queues": [queue(view) for view in views],
        "all_paused": pause(everywhere),
        "all_max_running": everywhere.max_running,
    }


def queue(view: QueueView) -> dict[str, object]:
    """A queue with its counts and settings."""
    return {
        "name": view.name,
        "counts": {str(state): count for state, count in view.counts.items()},
        "oldest_seconds": None if view.oldest is None else view.oldest.total_seconds(),
        "workers": view.workers,
        "cooling": None if view.cooldown is None else cooldown(view.cooldown),
        **queue_settings(view.settings),
    }


def queue_settings(settings: QueueSettings) -> dict[str, object]:
    """The settings of a queue."""
    return {
        "weight": settings.weight,
        "max_length": settings.max_length,
        "max_running": settings.max_running,
        "retention": _retention(settings.retention),
        "retry": _retry(settings.retry),
        "rate": settings.rate,
        "burst": settings.burst,
        "cooldown": _cooldown_rule(settings.cooldown),
        "paused": pause(settings),
        "changed_at": iso(settings.changed_at),
        "changed_by": settings.changed_by,
        "changes": {name: {"at": iso(change.at), "by": change.by} for name, change in settings.changes.items()},
    }


def pause(settings: QueueSettings) -> dict[str, object] | None:
    """Who paused it and why; None if it is not paused."""
    if not settings.paused:
        return None
    return {"at": iso(settings.paused_at), "by": settings.paused_by, "reason": settings.paused_reason}


def _retry(rule: Retry | None) -> dict[str, object] | None:
    if rule is None:
        return None
    return {name: getattr(rule, name) for name in ("attempts", "backoff", "base", "factor", "floor", "cap", "jitter")}


def _cooldown_rule(rule: Cooldown | None) -> dict[str, object] | None:
    if rule is None:
        return None
    return {"enabled": rule.enabled, "base": rule.shortest / 1000, "max": rule.longest / 1000}


def _retention(retention: Retention | None) -> dict[str, object] | None:
    if retention is None:
        return None
    kept = {state: getattr(retention, state) for state in ("completed", "cancelled", "failed")}
    seconds = {state: None if length is None else length.total_seconds() for state, length in kept.items()}
    return {**seconds, "at_most": retention.at_most}
