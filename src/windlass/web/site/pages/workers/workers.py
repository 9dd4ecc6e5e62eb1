"""What each worker does; which were lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from windlass.app import Windlass
from windlass.insight.figures.figures import figure_lines, figure_query
from windlass.insight.figures.view import FigurePoint
from windlass.insight.workers import WorkerView
from windlass.job import Job
from windlass.web.readings.counts import overview_of
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings.sparklines import draw_activity
from windlass.web.site.jobs.arguments import arguments_line
from windlass.web.site.overview.overview import Slots
from windlass.web.site.page import Page
from windlass.web.site.pages.tasks import by_task
from windlass.web.site.recent import Recent

_MOST = 500
_RUNNING_READ = 100
"""Of how many running jobs, the newest, the list of workers tells time and progress."""
_MANY = 20
"""Runs of a task from which on it is known how long they usually take."""


async def _hour(app: Windlass) -> Mapping[str, Sequence[FigurePoint]]:
    return await app.client.session.arun(figure_lines(figure_query(range="1h", step="2m", by="worker")))


HOUR = Recent(_hour, seconds=10)
"""What each worker did in the last hour, in steps of two minutes."""
_BY_TASK = Recent(by_task, seconds=60)
_RUNNING = Recent(lambda app: app.ajobs(state="running", limit=_RUNNING_READ), seconds=1)


async def workers(call: Call[Nothing, None]) -> Page:
    """All workers of the last day, the lost ones first."""
    seen = await overview_of(call.app)
    running = await _RUNNING.of(call.app)
    slow = slow_runs(running, await _BY_TASK.of(call.app, "24h"), now=call.now) if running else frozenset()
    found = sorted(seen.workers, key=lambda worker: (worker.is_alive, worker.name))
    shown = {
        "workers": found[:_MOST],
        "alive_count": sum(1 for worker in found if worker.is_alive),
        "lost_count": sum(1 for worker in found if not worker.is_alive),
        "slots": Slots.of(seen),
        "leader": seen.leader,
        "runs": {job.id: job for job in running},
        "slow": {worker.id: len(running_ids(worker) & slow) for worker in found[:_MOST]},
        "arguments": {job.id: arguments_line(job, call.app.tasks) for job in running},
        "hour": {name: draw_activity(points) for name, points in (await HOUR.of(call.app)).items()},
    }
    return Page("workers.html", "Workers", shown, here="/workers")


def slow_runs(running: Iterable[Job[Any]], usual: Mapping[str, FigurePoint], *, now: datetime) -> frozenset[str]:
    """The ids of jobs that have run for longer than 99 of 100 runs of their task took lately."""
    known = {task: point.run.p99 for task, point in usual.items() if point.run and point.run.count >= _MANY}
    return frozenset(
        job.id
        for job in running
        if job.task in known and job.started_at is not None and now - job.started_at > known[job.task]
    )


def running_ids(worker: WorkerView) -> frozenset[str]:
    """The jobs that a worker says it runs. Its report may be damaged."""
    said = worker.info.get("running")
    runs = said if isinstance(said, list) else []
    return frozenset(str(run["id"]) for run in runs if isinstance(run, dict) and "id" in run)
