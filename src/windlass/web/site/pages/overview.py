"""Is it healthy, and if not, why?"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from windlass.insight.overview import Overview
from windlass.web.problems import bad_input
from windlass.web.route import Call
from windlass.web.site.charts import RANGES, draw_throughput, draw_waiting, step_of
from windlass.web.site.page import Page
from windlass.web.site.pages.queues import by_trouble, queue_counts
from windlass.web.site.recent import Recent

_SHOWN_QUEUES = 12
_SHOWN_FAILURES = 5
_GROUPS = Recent(lambda app: app.adead_groups(_SHOWN_FAILURES), seconds=5)
"""Grouping walks through up to 100,000 failed jobs."""


@dataclass(frozen=True, slots=True)
class Slots:
    """How many jobs the live workers could run at once, and how many they do."""

    busy: int
    all: int

    @classmethod
    def of(cls, overview: Overview) -> Slots:
        working = [worker.info for worker in overview.workers if worker.is_alive and worker.runs_jobs]
        return cls(
            sum(_count(info.get("running")) for info in working),
            sum(_count(info.get("concurrency")) for info in working),
        )


def _count(value: object) -> int:
    """What a worker says of itself is data of the store: a number, or a list of what runs."""
    return len(value) if isinstance(value, list) else value if isinstance(value, int) else 0


class OverviewQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the charts look back."""

    range: str = "1h"


async def overview(call: Call[OverviewQuery, None]) -> Page:
    """Everything at a glance."""
    range = call.query.range
    if range not in RANGES:
        raise bad_input(f"range must be one of {', '.join(RANGES)}, got {range!r}", field="range")
    figures = await call.app.afigures(range=range, step=step_of(range))
    seen = await call.app.aoverview()
    groups = await _GROUPS.of(call.app)
    queues = sorted(seen.queues, key=by_trouble)
    shown = {
        "seen": seen,
        "counts": seen.counts,
        "slots": Slots.of(seen),
        "queues": queues[:_SHOWN_QUEUES],
        **queue_counts(seen.queues),
        "groups": groups,
        "is_new": not queues and not seen.workers,
        "figures": figures,
        "throughput": draw_throughput(figures),
        "waiting": draw_waiting(figures),
        "range": range,
        "ranges": RANGES,
    }
    return Page("overview.html", "Overview", shown)
