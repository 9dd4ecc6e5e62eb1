"""What each task does: how often, how long, how much of it fails; one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from windlass.app import Windlass
from windlass.insight.figures.deploys import Deploy
from windlass.insight.figures.figures import Figures
from windlass.insight.figures.view import FigurePoint
from windlass.insight.overview import Overview
from windlass.web.problems import not_found
from windlass.web.readings.counts import overview_of
from windlass.web.route import Call
from windlass.web.site.drawings.charts import draw_run_time, draw_throughput, draw_waiting, marked
from windlass.web.site.drawings.ranges import RANGES, chart_range, read_charts
from windlass.web.site.page import Page
from windlass.web.site.pages.worst import worst_of
from windlass.web.site.recent import Recent
from windlass.web.tasks.routes import rate_tag

_MOST = 500


async def by_task(app: Windlass, range: str) -> Mapping[str, FigurePoint]:
    """The figures of each task in a range."""
    return (await read_charts(app, range, by="task"))[0].by


async def _of_task(app: Windlass, name: str, range: str) -> tuple[Figures, Sequence[Deploy]]:
    return await read_charts(app, range, task=name, by="queue")


_BY_TASK = Recent(by_task, seconds=5)
_OF_TASK = Recent(_of_task, seconds=5)


class TasksQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the figures look back."""

    range: str = "1h"


async def tasks(call: Call[TasksQuery, None]) -> Page:
    """All tasks that ran, are declared here, or are unknown to workers that met them; those that fail first."""
    range = chart_range(call.query.range, now=call.now)
    figures = await _BY_TASK.of(call.app, range.text)
    known = {task.name for task in call.app.tasks}
    unknown = unknown_tasks(await overview_of(call.app))
    names = sorted({*figures, *known, *unknown}, key=lambda name: (name not in unknown, name))
    shown = {
        "names": sorted(names, key=lambda name: -figures[name].failed if name in figures else 0)[:_MOST],
        "figures": figures,
        "known": known,
        "unknown": unknown,
        "minutes": range.minutes,
        "range": range,
        "ranges": RANGES,
    }
    return Page("tasks.html", "Tasks", shown, here="/tasks")


async def task(call: Call[TasksQuery, None]) -> Page:
    """One task: its throughput, how long it waits and runs, its errors."""
    name, range = call.path["name"], chart_range(call.query.range, now=call.now)
    figures, deploys = await _OF_TASK.of(call.app, name, range.text)
    declared = next((task for task in call.app.tasks if task.name == name), None)
    unknown = unknown_tasks(await overview_of(call.app))
    is_known = declared is not None or bool(figures.total.counts) or name in unknown
    # No index serves the last question, so it comes last.
    if not is_known and not await call.app.ajobs(task=name, limit=1):
        raise not_found(f"no task {name} is declared here or has run {range.words}")
    rate = await call.app.task_rate(name).asettings()
    shown = {
        "name": name,
        "rate": rate,
        "version": rate_tag(rate),
        # Its jobs follow a rate only if the code declares one.
        "has_rate": rate.declared is not None or rate.changed_at is not None,
        "declared": declared,
        "worst": await worst_of(call.app, name),
        "queue": None if declared is None else call.app.client.enqueuer.queue_of(declared),
        "workers": unknown.get(name, []),
        "figures": figures,
        "total": figures.total,
        "throughput": marked(draw_throughput(figures), figures, deploys),
        "waiting": marked(draw_waiting(figures), figures, deploys),
        "running": marked(draw_run_time(figures), figures, deploys),
        "range": range,
        "ranges": RANGES,
    }
    return Page("task.html", name, shown, here="/tasks")


def unknown_tasks(seen: Overview) -> dict[str, list[str]]:
    """Tasks of jobs that live workers met and do not know, with the names of these workers."""
    found: dict[str, list[str]] = {}
    for worker in seen.workers:
        reported = worker.info.get("unknown_tasks") if worker.is_alive else None
        # What a worker says of itself is data of the store, and may be damaged.
        for name in reported if isinstance(reported, list) else ():
            found.setdefault(str(name), []).append(worker.name)
    return found
