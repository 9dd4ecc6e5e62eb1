"""Failures by cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.clock import iso
from windlass.insight.redact import redacted_text

if TYPE_CHECKING:
    from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups
    from windlass.insight.diagnostics.mutes import MuteView


def dead_groups(groups: FailureGroups) -> dict[str, object]:
    """Jobs that failed in the same way, the largest group first and muted ones last, how many failed jobs were looked
    at, and all mutes.
    """
    return {
        "groups": [_dead_group(group) for group in groups],
        "examined": groups.examined,
        "whole": groups.is_whole,
        "mutes": [mute(each) for each in groups.mutes],
    }


def mute(mute: MuteView) -> dict[str, object]:
    """A cause that is muted."""
    return {
        "group": mute.cause,
        "since": iso(mute.since),
        "by": mute.by,
        "reason": mute.reason,
        "until": iso(mute.until),
    }


def _dead_group(group: FailureGroup) -> dict[str, object]:
    return {
        "group": group.cause,
        "task": group.task,
        "reason": group.reason,
        "error": group.error,
        "message": None if group.message is None else redacted_text(group.message),
        "place": group.place,
        "count": group.count,
        "last_hour": group.recent,
        "hours": list(group.hours),
        "trend": group.trend,
        "oldest": iso(group.oldest),
        "newest": iso(group.newest),
        "sample": group.sample,
        "muted": group.mute is not None,
    }
