"""Is it healthy, and if not, why?"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from windlass.app import Windlass
from windlass.core.state import State
from windlass.insight.figures.figures import Figures
from windlass.insight.overview import Overview
from windlass.web.counts import glance
from windlass.web.problems import bad_input
from windlass.web.route import Call
from windlass.web.site import formats
from windlass.web.site.charts import RANGES, draw_depth, draw_throughput, draw_waiting, marked, step_of
from windlass.web.site.jobs.causes import causes
from windlass.web.site.page import Page
from windlass.web.site.pages.queues import by_trouble, errors_of_day, queue_counts
from windlass.web.site.pages.store_levels import deploys_within, store_levels
from windlass.web.site.pages.worker_grid import reported_count, worker_grid
from windlass.web.site.recent import Recent

_SHOWN_QUEUES = 12
_SHOWN_TROUBLES = 5
_SHOWN_FAILURES = 5


async def _figures(app: Windlass, range: str) -> Figures:
    return await app.afigures(range=range, step=step_of(range))


_LONG_FIGURES = Recent(_figures, seconds=5)
"""Of a day or more, in which each point is some minutes long."""


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


def troubles(seen: Overview) -> list[Trouble]:
    """The problems of a store, each with the way to its remedy: a queue without a worker, or the workers."""
    unserved = [queue for queue in seen.queues if queue.is_unserved]
    found = [Trouble(text, "/workers") for text in seen.problems]
    for index, queue in enumerate(unserved):  # problems begin with these queues, in this order
        waits = f"{queue.counts[State.PENDING]:,} wait, the oldest for {formats.length(queue.oldest)}"
        found[index] = Trouble(f"{found[index].text}; {waits}", f"/queues/{queue.name}")
    return found


class OverviewQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the charts look back."""

    range: str = "1h"


async def overview(call: Call[OverviewQuery, None]) -> Page:
    """Everything at a glance."""
    range = call.query.range
    if range not in RANGES:
        raise bad_input(f"range must be one of {', '.join(RANGES)}, got {range!r}", field="range")
    figures = await (_figures(call.app, range) if range == "1h" else _LONG_FIGURES.of(call.app, range))
    found = await glance(call.app)
    seen = found.overview
    groups = (await causes(call.app))[:_SHOWN_FAILURES]
    queues = sorted(seen.queues, key=by_trouble)
    deploys = await deploys_within(call.app, range)
    shown = {
        "seen": seen,
        "troubles": troubles(seen)[:_SHOWN_TROUBLES],
        "counts": seen.counts,
        "counted": found.counts,
        "slots": Slots.of(seen),
        "queues": queues[:_SHOWN_QUEUES],
        **queue_counts(seen.queues),
        "errors": await errors_of_day(call.app),
        "grid": worker_grid(seen.workers),
        "levels": await store_levels(call.app),
        "groups": groups,
        "is_new": not queues and not seen.workers,
        "figures": figures,
        "throughput": marked(draw_throughput(figures), figures, deploys),
        "depth": marked(draw_depth(figures), figures, deploys),
        "waiting": marked(draw_waiting(figures), figures, deploys),
        "range": range,
        "ranges": RANGES,
    }
    return Page("overview.html", "Overview", shown)
