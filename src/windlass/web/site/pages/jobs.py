"""Find any job."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from windlass.core.units import read_past
from windlass.insight.job_filter import JobFilter
from windlass.web.cursors import list_name
from windlass.web.route import Call
from windlass.web.site.page import Page

_FILTERS = ("state", "queue", "task", "tag", "text", "reason", "cause", "since")
_PAGE = 50
_NEWER = 99


class JobsPageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The filters of the page, in its address: empty fields of a form find all."""

    state: str = ""
    queue: str = ""
    task: str = ""
    tag: str = ""
    text: str = ""
    reason: str = ""
    cause: str = ""
    since: str = ""
    cursor: str = ""
    top: str = ""
    """Of a stream: where the page began, so that rows never move while it is open."""


async def jobs(call: Call[JobsPageQuery, None]) -> Page:
    """A page of jobs, the newest first."""
    query = call.query
    given = {name: value for name in _FILTERS if (value := getattr(query, name).strip())}
    filter: dict[str, Any] = dict(given)
    if "since" in filter:
        filter["since"] = read_past(filter["since"], "since", now=call.now)
    of = list_name("/jobs", given)
    top = call.cursors.read(of, query.top, int) if query.top else None
    cursor = call.cursors.read(of, query.cursor, int) if query.cursor else top
    found = await call.app.ajobs(limit=_PAGE, cursor=cursor, **cast(JobFilter, filter))
    counts = await call.app.acounts(given.get("queue"))
    shown = {
        "jobs": found,
        "given": given,
        "filters": {name: given.get(name, "") for name in _FILTERS},
        "counts": counts,
        "total": sum(counts.values()),
        "next": None if found.next is None else call.cursors.write(of, found.next),
        "is_first": not query.cursor,
        "newer": 0 if top is None else await _newer(call, filter, top),
        "most_newer": _NEWER,
    }
    live = (
        {"top": call.cursors.write(of, found[0].record.seq + 1)} if found and not query.cursor and not query.top else {}
    )
    return Page("jobs.html", "Jobs", shown, here="/jobs", live=live)


async def _newer(call: Call[JobsPageQuery, None], filter: dict[str, Any], top: int) -> int:
    """How many jobs have come since the page was opened, up to some more than are counted."""
    newest = await call.app.ajobs(limit=_NEWER + 1, **cast(JobFilter, filter))
    return sum(1 for job in newest if job.record.seq >= top)
