"""Jobs that retention has put aside: find them, look at one, put it back."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from windlass.core.state import FINISHED
from windlass.job import Job
from windlass.web.archive.routes import archived_detail, filter_of
from windlass.web.cursors import list_name
from windlass.web.route import Call, Nothing
from windlass.web.site import formats
from windlass.web.site.actions import job_path
from windlass.web.site.page import Page

_PAGE = 50
_SINCE = ("24h", "7d", "30d", "90d", "365d")
_TEXTS = ("args", "kwargs", "result", "meta", "errors", "steps")
"""What of a job is shown as JSON."""
_TIMES = ("created_at", "started_at", "finished_at")


class ArchivePageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which archived jobs; nothing stands for all."""

    task: str = ""
    queue: str = ""
    state: str = ""
    since: str = ""
    cursor: str = ""


async def archive(call: Call[ArchivePageQuery, None]) -> Page:
    """A page of archived jobs, the newest weeks first."""
    query = call.query
    words = {
        name: value.strip()
        for name, value in msgspec.structs.asdict(query).items()
        if value.strip() and name != "cursor"
    }
    of = list_name("/archive", words)
    cursor = call.cursors.read(of, query.cursor, str) if query.cursor else None
    found = await call.app.archive.ajobs(limit=_PAGE, cursor=cursor, **filter_of(call, words))
    shown = {
        "jobs": [Job.of(call.app.client, job.record) for job in found],
        "damaged": found.damaged,
        "next": None if found.next is None else call.cursors.write(of, found.next),
        "words": words,
        "query": query,
        "ended_states": sorted(str(state) for state in FINISHED),
        "ranges": _SINCE if query.since in ("", *_SINCE) else (*_SINCE, query.since),
    }
    return Page("archive.html", "Archive", shown, here="/jobs", is_live=False)


async def archived(call: Call[Nothing, None]) -> Page:
    """One archived job."""
    detail: dict[str, Any] = await archived_detail(call, {})
    texts = {name: formats.json_lines(detail[name]) for name in _TEXTS if detail[name]}
    times = {name: datetime.fromisoformat(detail[name]) for name in _TIMES if detail[name]}
    shown = {"job": detail, "times": times, "texts": texts, "log": detail["log"]}
    return Page("archived.html", f"Archived job {detail['id']}", shown, here="/jobs", is_live=False)


async def restore(call: Call[Nothing, None]) -> str:
    """Put it back into the store, and show it there."""
    job = await call.app.archive.arestore(call.path["id"], by=call.by)
    return job_path(job.id)
