"""Causes that operators have muted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.store.operation import Operation
from windlass.store.operations.diagnostics.mutes import MuteRecord, mutes


@dataclass(frozen=True, slots=True)
class MuteView:
    """A cause of failures that is muted: alerts do not count it, and lists have it at their end."""

    cause: str
    """The fingerprint of the group."""
    since: datetime
    by: str
    reason: str
    until: datetime | None
    """None for a mute that lasts until the next deploy: until workers are started anew."""


def mute_views() -> Operation[list[MuteView]]:
    """The mutes that last, the oldest first."""
    return [mute_view(record) for record in (yield from mutes())]


def mute_view(record: MuteRecord) -> MuteView:
    return MuteView(
        cause=record.cause,
        since=clock.instant(record.muted_at),
        by=record.muted_by,
        reason=record.reason,
        until=clock.instant_or_none(record.ends_at),
    )
