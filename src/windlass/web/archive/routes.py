"""The handlers, and their rows of the table of routes."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.archive.query import ArchiveOptions
from windlass.core.units import read_past
from windlass.insight import json_forms
from windlass.insight.payload import parameters_of
from windlass.job import Job
from windlass.steps.view import step_view
from windlass.web.archive import shapes
from windlass.web.cursors import list_name
from windlass.web.route import PREFIX, Call, Route
from windlass.web.security.roles import Role
from windlass.web.shapes.jobs import JobDetail

_TOPIC = "Archive"
_ARCHIVE = f"{PREFIX}/archive"
_SECONDS = 20.0
"""A search in files goes from job to job."""


async def list_archive(call: Call[shapes.ArchiveQuery, None]) -> dict[str, object]:
    """A page of archived jobs."""
    query, client = call.query, call.app.client
    words = _given(query)
    of = list_name(_ARCHIVE, words)
    cursor = None if query.cursor is msgspec.UNSET else call.cursors.read(of, query.cursor, str)
    page = await call.app.archive.ajobs(limit=query.limit, cursor=cursor, **filter_of(call, words))
    return {
        "jobs": [json_forms.job_summary(Job.of(client, job.record)) for job in page],
        "next": None if page.next is None else call.cursors.write(of, page.next),
        "damaged": page.damaged,
    }


async def show_archived(call: Call[shapes.EndedBetween, None]) -> dict[str, object]:
    """Everything about one archived job."""
    return await archived_detail(call, filter_of(call, _given(call.query)))


async def archived_detail(call: Call[Any, Any], filter: ArchiveOptions) -> dict[str, object]:
    """The archived job that the path names, secrets masked."""
    found = await call.app.archive.ajob(call.path["id"], since=filter.get("since"), until=filter.get("until"))
    job: Job[Any] = Job.of(call.app.client, found.record)
    steps = [step_view(step) for step in found.steps]
    return json_forms.job_detail(job, parameters_of(job.task, call.app.tasks), steps)


async def restore(call: Call[shapes.EndedBetween, None]) -> dict[str, object]:
    """Put it back into the store."""
    filter = filter_of(call, _given(call.query))
    job = await call.app.archive.arestore(
        call.path["id"], since=filter.get("since"), until=filter.get("until"), by=call.by
    )
    return {"id": job.id, "state": str(job.state), "queue": job.queue}


def filter_of(call: Call[Any, Any], words: dict[str, Any]) -> ArchiveOptions:
    """What was asked for, in the types of the API."""
    filter: Any = dict(words)
    for name in ("since", "until"):
        if name in filter:
            filter[name] = read_past(filter[name], name, now=call.now)
    return filter  # type: ignore[no-any-return]  # the types of the query are those of the options


def _given(query: shapes.EndedBetween) -> dict[str, Any]:
    values = {name: getattr(query, name) for name in query.__struct_fields__ if name not in ("limit", "cursor")}
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}


ROUTES = (
    Route(
        method="GET",
        path=_ARCHIVE,
        handler=list_archive,
        summary="Jobs that retention has put aside, the newest weeks first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.ArchiveQuery,
        answer=shapes.ArchivedJobs,
        seconds=_SECONDS,
    ),
    Route(
        method="GET",
        path=f"{_ARCHIVE}/{{id}}",
        handler=show_archived,
        summary="Everything about one archived job, secrets masked.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.EndedBetween,
        answer=JobDetail,
        problems=(404,),
        seconds=_SECONDS,
    ),
    Route(
        method="POST",
        path=f"{_ARCHIVE}/{{id}}/restore",
        handler=restore,
        summary="Put an archived job back into the store as it was.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        query=shapes.EndedBetween,
        answer=shapes.Restored,
        action="archive.restore",
        problems=(404, 409),
        seconds=_SECONDS,
    ),
)
