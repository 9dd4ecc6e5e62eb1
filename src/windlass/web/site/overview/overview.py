"""Is it healthy, and if not, why?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from windlass.app import Windlass
from windlass.core.fault.cause import outline
from windlass.core.state import State
from windlass.insight.figures.deploys import Deploy
from windlass.insight.figures.figures import Figures
from windlass.insight.overview import Overview
from windlass.web.readings.counts import glance
from windlass.web.route import Call
from windlass.web.site import formats
from windlass.web.site.drawings.charts import draw_depth, draw_throughput, draw_waiting, marked
from windlass.web.site.drawings.ranges import RANGES, chart_range, read_charts
from windlass.web.site.drawings.sparklines import draw_failures
from windlass.web.site.failures.causes import causes
from windlass.web.site.overview.changes import what_changed
from windlass.web.site.overview.tiles import Tiles
from windlass.web.site.overview.worker_grid import reported_count, worker_grid
from windlass.web.site.page import Page
from windlass.web.site.pages.queues import by_trouble, errors_of_day, queue_counts
from windlass.web.site.pages.store_levels import store_levels
from windlass.web.site.recent import Recent

_SHOWN_QUEUES = 12
_SHOWN_TROUBLES = 5
_SHOWN_FAILURES = 5
_BY_HOURS = ("24h", "7d")
"""Ranges in which queues are told apart by hours: to do so minute by minute takes most of the time of a page."""


async def _charts(app: Windlass, range: str) -> tuple[Figures, Sequence[Deploy]]:
    if range not in _BY_HOURS:
        return await read_charts(app, range, by="queue")
    figures, deploys = await read_charts(app, range)
    return replace(figures, by=(await app.afigures(range=range, step="1h", by="queue")).by), deploys


_LONG_CHARTS = Recent(_charts, seconds=5)
"""Of other ranges than the last hour, in which each point may be some minutes long."""


@dataclass(frozen=True, slots=True)
class Slots:
    """How many jobs the live workers could run at once, and how many they do."""

    busy: int
    all: int

    @classmethod
    def of(cls, overview: Overview) -> Slots:
        working = [worker.info for worker in overview.workers if worker.is_alive and worker.runs_jobs]
        return cls(
            sum(reported_count(info.get("running")) for info in working),
            sum(reported_count(info.get("concurrency")) for info in working),
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, and the page on which it can be mended."""

    text: str
    path: str
    about: str = ""
    """The queue that it is about, which the text goes on from."""

    @property
    def cause(self) -> str:
        """The same for as long as it is the same trouble, however long that lasts and however many jobs it holds up.

        >>> Trouble("jobs that are due have waited for 5m 3s", "/workers").cause
        'jobs that are due have waited for … …'
        """
        return f"unserved {self.about}" if self.about else outline(self.text)


def troubles(seen: Overview) -> list[Trouble]:
    """The problems of a store, each with the way to its remedy: a queue without a worker, or the workers."""
    unserved = [queue for queue in seen.queues if queue.is_unserved]
    found = [Trouble(text, "/workers") for text in seen.problems]
    for index, queue in enumerate(unserved):  # problems begin with these queues, in this order
        count = queue.counts[State.PENDING]
        waits = f"{count:,} jobs wait" if count != 1 else "1 job waits"
        text = f"has no worker. {waits}, the oldest for {formats.length(queue.oldest)}."
        found[index] = Trouble(text, f"/queues/{queue.name}", queue.name)
    return found


class OverviewQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the charts look back."""

    range: str = "1h"


async def overview(call: Call[OverviewQuery, None]) -> Page:
    """Everything at a glance."""
    range = chart_range(call.query.range, now=call.now)
    charts = _charts(call.app, range.text) if range.text == "1h" else _LONG_CHARTS.of(call.app, range.text)
    figures, deploys = await charts
    found = await glance(call.app)
    seen = found.overview
    groups = (await causes(call.app))[:_SHOWN_FAILURES]
    queues = sorted(seen.queues, key=by_trouble)
    unserved = [queue for queue in queues if queue.is_unserved]
    found_troubles = troubles(seen)
    shown = {
        "seen": seen,
        "troubles": found_troubles[:_SHOWN_TROUBLES],
        "more_troubles": len(found_troubles[_SHOWN_TROUBLES:]),
        "counts": seen.counts,
        "counted": found.counts,
        "slots": Slots.of(seen),
        "queues": queues[:_SHOWN_QUEUES],
        **queue_counts(seen.queues),
        "errors": await errors_of_day(call.app),
        "grid": worker_grid(seen.workers),
        "levels": await store_levels(call.app),
        "groups": groups,
        "trends": {group.sample: draw_failures(group.hours) for group in groups},
        "changes": what_changed(seen, deploys, now=call.now),
        "tiles": Tiles.of(figures, seen, now=call.now),
        "is_new": not queues and not seen.workers,
        "figures": figures,
        "throughput": marked(draw_throughput(figures), figures, deploys),
        "depth": marked(draw_depth(figures), figures, deploys),
        "waiting": marked(draw_waiting(figures, is_alarm=bool(unserved)), figures, deploys),
        "oldest": max((queue.oldest for queue in queues if queue.oldest is not None), default=None),
        "minutes": (figures.until - figures.since).total_seconds() / 60,
        "range": range,
        "ranges": RANGES,
    }
    return Page("overview.html", "Overview", shown)
