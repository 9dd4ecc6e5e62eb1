"""The state of the whole, and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.clock import iso
from windlass.insight.json_forms.limits import cooldown
from windlass.insight.json_forms.queues import pause, queue
from windlass.insight.json_forms.workers import leader, worker
from windlass.version import VERSION

if TYPE_CHECKING:
    from windlass.insight.notices import Notice
    from windlass.insight.overview import Overview


def notice(noticed: Notice) -> dict[str, object]:
    """A store event."""
    return {
        "at": iso(noticed.at),
        "kind": noticed.kind,
        "by": noticed.by,
        "count": noticed.count,
        "text": noticed.text,
        "detail": noticed.detail,
    }


def overview(store: str, seen: Overview) -> dict[str, object]:
    """Everything at a glance."""
    return {
        "version": VERSION,
        "store": store,
        "counts": {str(state): count for state, count in seen.counts.items()},
        "queues": [queue(view) for view in seen.queues],
        "workers": [worker(view) for view in seen.workers],
        "leader": None if seen.leader is None else leader(seen.leader),
        "cooling": [cooldown(view) for view in seen.cooldowns],
        "all_paused": pause(seen.everywhere),
        "unserved": [view.name for view in seen.queues if view.is_unserved],
        "problems": seen.problems,
        "notices": [notice(noticed) for noticed in seen.notices],
    }
