"""Workers as an app sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from windlass import clock
from windlass.store.leases import WorkerRecord


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A worker that lives, or was lost within a day."""

    id: str
    """Random for each start of a process; it alone decides who owns what."""
    name: str
    state: str
    """starting, idle, busy, paused, draining or lost."""
    started_at: datetime
    seen_at: datetime
    signal: str | None
    signalled_by: str | None
    info: dict[str, Any] = field(default_factory=dict)
    """Host, pid, queues, concurrency, versions, counts and what runs."""


def view_of(record: WorkerRecord) -> WorkerView:
    """The view of a stored worker; what it said of itself may be damaged, the rest is not."""
    try:
        info = msgspec.json.decode(record.info, type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError):
        info = {}
    return WorkerView(
        record.id,
        record.name,
        record.state,
        clock.instant(record.started_at),
        clock.instant(record.seen_at),
        record.signal,
        record.signalled_by,
        info,
    )
