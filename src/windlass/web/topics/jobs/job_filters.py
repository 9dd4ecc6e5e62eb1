"""Filters of jobs as requests have them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

import msgspec

from windlass.core.units import read_past
from windlass.insight import json_forms
from windlass.insight.job_filter import JobFilter, shown_filter_for
from windlass.insight.job_page import job_count, job_page
from windlass.web.cursors import list_name
from windlass.web.route import Call
from windlass.web.shapes.jobs import DeadQuery, JobFilters

_PAGING = ("limit", "cursor", "count")


def given_filter(given: JobFilters, *, now: datetime) -> JobFilter:
    """What was asked for, in the types of the API."""
    filter: dict[str, Any] = _given(given)
    for name in ("since", "until"):
        if name in filter:
            filter[name] = read_past(filter[name], name, now=now)
    if "group" in filter:
        filter["cause"] = filter.pop("group")
    return cast(JobFilter, filter)


async def page_of_jobs(call: Call[DeadQuery, None], name: str, **fixed: Any) -> dict[str, object]:
    """A page of the jobs that the query finds, and how many there are in all if it asks for that; ``name`` is that of
    the list.
    """
    query, app = call.query, call.app
    filter = cast(JobFilter, {**given_filter(query, now=call.now), **fixed})
    of = list_name(name, _given(query))
    cursor = None if query.cursor is msgspec.UNSET else call.cursors.read(of, query.cursor, int)
    client, shown = app.client, shown_filter_for(app.client, filter)
    page = await client.session.arun(job_page(client, shown, query.limit, cursor))
    form = json_forms.job_page(page, None, page.unsearched)
    return {
        **form,
        "next": None if page.next is None else call.cursors.write(of, page.next),
        "count": await client.session.arun(job_count(shown)) if query.count else None,
    }


def _given(given: JobFilters) -> dict[str, Any]:
    """What is set, without what is about pages."""
    values = {name: getattr(given, name) for name in given.__struct_fields__ if name not in _PAGING}
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}
