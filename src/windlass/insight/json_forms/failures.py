"""Failures by cause."""

from __future__ import annotations

from windlass.clock import iso
from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups


def dead_groups(groups: FailureGroups) -> dict[str, object]:
    """Jobs that failed in the same way, the largest group first, and how many failed jobs were looked at."""
    return {
        "groups": [_dead_group(group) for group in groups],
        "examined": groups.examined,
        "whole": groups.is_whole,
    }


def _dead_group(group: FailureGroup) -> dict[str, object]:
    return {
        "group": group.cause,
        "task": group.task,
        "reason": group.reason,
        "error": group.error,
        "message": group.message,
        "place": group.place,
        "count": group.count,
        "last_hour": group.recent,
        "hours": list(group.hours),
        "trend": group.trend,
        "oldest": iso(group.oldest),
        "newest": iso(group.newest),
        "sample": group.sample,
    }
