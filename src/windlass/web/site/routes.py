"""The rows of the table of routes that are pages, their streams and their buttons."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from windlass.web.problems import Problem
from windlass.web.route import Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.site import actions
from windlass.web.site.live import EVERY, stream
from windlass.web.site.page import Page, rendered
from windlass.web.site.pages import failures, job, jobs, overview, queues, schedules, workers
from windlass.web.site.pages.errors import error_page
from windlass.web.site.static_files import static_file

_TOPIC = "Pages"
Build = Callable[[Call[Any, Any]], Awaitable[Page]]


def _page(
    path: str, build: Build, summary: str, query: type[msgspec.Struct] = Nothing, *, every: float = EVERY
) -> Iterator[Route]:
    """A page and the stream that brings it up to date."""

    async def handler(call: Call[Any, Any]) -> HTMLResponse:
        return rendered(call, await build(call))

    yield Route(
        method="GET",
        path=path,
        handler=handler,
        summary=summary,
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=HTMLResponse,
        query=query,
        show_problem=_show_problem,
    )
    yield Route(
        method="GET",
        path=f"/live{path.rstrip('/')}",
        handler=stream(build, every=every),
        summary=f"{summary.rstrip('.')}: what changes.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=StreamingResponse,
        query=query,
    )


def _button(path: str, action: actions.Action, name: str, summary: str, role: Role = Role.OPERATOR) -> Route:
    return Route(
        method="POST",
        path=path,
        handler=actions.leading_back(action),
        summary=summary,
        topic=_TOPIC,
        role=role,
        answer=RedirectResponse,
        status=303,
        action=name,
        show_problem=_show_problem,
    )


def _show_problem(call: Call[Any, Any], problem: Problem) -> Response:
    response = rendered(call, error_page(problem))
    response.headers.update(problem.headers)
    return response


PAGES: tuple[Route, ...] = (
    *_page("/", overview.overview, "Everything at a glance.", overview.OverviewQuery),
    *_page("/jobs", jobs.jobs, "Jobs that a filter finds.", jobs.JobsPageQuery),
    *_page("/jobs/{id}", job.job, "One job."),
    *_page("/failures", failures.failures, "Failed jobs by cause.", every=5),
    *_page("/queues", queues.queues, "All queues."),
    *_page("/queues/{name}", queues.queue, "One queue."),
    *_page("/workers", workers.workers, "All workers."),
    *_page("/schedules", schedules.schedules, "All schedules."),
    *_page("/schedules/{name}", schedules.schedule, "One schedule."),
    _button("/jobs/{id}/retry", actions.retry_job, "job.retry", "Retry a job."),
    _button("/jobs/{id}/cancel", actions.cancel_job, "job.cancel", "Cancel a job."),
    _button("/jobs/{id}/delete", actions.delete_job, "job.delete", "Delete a job.", Role.ADMIN),
    _button("/queues/{name}/pause", actions.pause_queue, "queue.pause", "Pause a queue."),
    _button("/queues/{name}/resume", actions.resume_queue, "queue.resume", "Resume a queue."),
    _button("/workers/{id}/pause", actions.pause_worker, "worker.pause", "Have a worker take no more jobs."),
    _button("/workers/{id}/resume", actions.resume_worker, "worker.resume", "Have a worker take jobs again."),
    _button("/workers/{id}/stop", actions.stop_worker, "worker.stop", "Stop a worker."),
    _button("/schedules/{name}/run", actions.run_schedule, "schedule.run", "Make the job of a schedule now."),
    _button("/schedules/{name}/pause", actions.pause_schedule, "schedule.pause", "Pause a schedule."),
    _button("/schedules/{name}/resume", actions.resume_schedule, "schedule.resume", "Resume a schedule."),
    Route(
        method="GET",
        path="/static/{version}/{name}",
        handler=static_file,
        summary="A style sheet or script.",
        topic=_TOPIC,
        role=None,
        answer=Response,
    ),
)
