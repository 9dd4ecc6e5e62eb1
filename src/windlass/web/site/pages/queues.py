"""How deep, how old, who serves them; one queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from windlass.app import Windlass
from windlass.core.state import State
from windlass.insight.figures.deploys import Deploy
from windlass.insight.figures.figures import Figures, figure_lines, figure_query
from windlass.insight.figures.view import FigurePoint
from windlass.insight.overview import QueueView
from windlass.web.problems import not_found
from windlass.web.readings.counts import glance
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings.charts import draw_depth, draw_flow, marked
from windlass.web.site.drawings.ranges import RANGES, chart_range, read_charts
from windlass.web.site.drawings.sparklines import Sparkline, draw_shares, draw_sparkline
from windlass.web.site.jobs.arguments import arguments_line
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

_MOST = 500
_NEXT = 10
_TASKS = 8


async def _last_hour(app: Windlass) -> Figures:
    return await app.afigures(range="1h", step="1m", by="queue")


async def _day(app: Windlass) -> Mapping[str, Sequence[FigurePoint]]:
    return await app.client.session.arun(figure_lines(figure_query(range="24h", step="1h", by="queue")))


async def _of_queue(app: Windlass, name: str, range: str) -> tuple[Figures, Sequence[Deploy]]:
    return await read_charts(app, range, queue=name, by="task")


_LAST_HOUR = Recent(_last_hour, seconds=5)
_DAY = Recent(_day, seconds=60)
_OF_QUEUE = Recent(_of_queue, seconds=5)


class QueueQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far its charts look back; after a purge, how much of it was deleted."""

    range: str = "1h"
    purged: int | None = None
    more: bool = False


async def queues(call: Call[Nothing, None]) -> Page:
    """All queues, those in trouble first."""
    found = await glance(call.app)
    seen = found.overview
    shown = {
        "queues": sorted(seen.queues, key=by_trouble)[:_MOST],
        **queue_counts(seen.queues),
        "counted": found.counts,
        "everywhere": seen.everywhere,
        "hour": (await _LAST_HOUR.of(call.app)).by,
        "errors": await errors_of_day(call.app),
        "day": {name: _depth_of_day(points) for name, points in (await _DAY.of(call.app)).items()},
    }
    return Page("queues.html", "Queues", shown, here="/queues")


def by_trouble(queue: QueueView) -> tuple[bool, int, str]:
    """Those without a worker first, then the deepest."""
    return not queue.is_unserved, -queue.counts[State.PENDING], queue.name


def queue_counts(queues: Sequence[QueueView]) -> dict[str, int]:
    """What the line above or below a list of queues says."""
    return {
        "queue_count": len(queues),
        "paused_count": sum(1 for queue in queues if queue.settings.paused_at is not None),
        "unserved_count": sum(1 for queue in queues if queue.is_unserved),
    }


async def queue(call: Call[QueueQuery, None]) -> Page:
    """One queue: what it holds, what is next, what fails, its settings."""
    name, range = call.path["name"], chart_range(call.query.range, now=call.now)
    glanced = await glance(call.app)
    seen = glanced.overview
    found = next((queue for queue in seen.queues if queue.name == name), None)
    if found is None:
        raise not_found(f"there is no queue {name}")
    figures, deploys = await _OF_QUEUE.of(call.app, name, range.text)
    following = await call.app.queue(name).apeek(_NEXT)
    serving = [worker for worker in seen.workers if worker.is_alive and name in worker.queues]
    shown = {
        "queue": found,
        "counted": glanced.counts,
        "everywhere": seen.everywhere,
        "shares": draw_shares({str(state): found.counts[state] for state in State}),
        "next": following,
        "arguments": {job.id: arguments_line(job, call.app.tasks) for job in following},
        "serving": serving,
        "figures": figures,
        "depth": marked(draw_depth(figures), figures, deploys),
        "flow": marked(draw_flow(figures), figures, deploys),
        "tasks": sorted(figures.by.items(), key=_by_failures)[:_TASKS],
        "range": range,
        "ranges": RANGES,
        "purged": call.query.purged,
        "has_more": call.query.more,
    }
    return Page("queue.html", name, shown, here="/queues")


def _by_failures(task: tuple[str, FigurePoint]) -> tuple[int, int, str]:
    """Those that fail most first, then those that run most."""
    name, point = task
    return -(point.failed + point.retried), -point.completed, name


def _depth_of_day(points: Sequence[FigurePoint]) -> Sparkline | None:
    depths = [point.depth for point in points]
    return draw_sparkline(depths, f"up to {max((depth or 0 for depth in depths), default=0):,} ready in a day")


async def errors_of_day(app: Windlass) -> dict[str, Sparkline]:
    """Attempts that failed in each hour of a day, by queue; without queues that had none."""
    drawn = {name: _errors(points) for name, points in (await _DAY.of(app)).items()}
    return {name: line for name, line in drawn.items() if line is not None}


def _errors(points: Sequence[FigurePoint]) -> Sparkline | None:
    errors = [point.failed + point.retried for point in points]
    number = sum(errors)
    said = f"{number:,} error{'' if number == 1 else 's'}"
    return draw_sparkline(errors, f"{said} in a day, up to {max(errors, default=0):,} in an hour")
