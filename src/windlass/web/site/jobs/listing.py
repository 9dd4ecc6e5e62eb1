"""Find any job; choose some of them, or all that match."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from windlass.core.state import State
from windlass.insight.job_filter import JobFilter, shown_filter_for
from windlass.insight.job_page import JobPage, job_count, job_page, newer_count, unsearched_note
from windlass.web.bulk.order import written_count
from windlass.web.cursors import list_name
from windlass.web.readings.counts import counts_of
from windlass.web.route import Call
from windlass.web.site.jobs.arguments import arguments_line, result_line
from windlass.web.site.jobs.filters import NAMES, JobFilterQuery, given_filter, given_words, with_typed_words, without
from windlass.web.site.jobs.held_queues import held_queues
from windlass.web.site.page import Page

_PAGE = 50
_NEWER = 99
RANGES = {"": "All times", "15m": "Last 15 minutes", "1h": "Last hour", "24h": "Last day", "7d": "Last week"}
"""Which times of creation the list offers."""
_OFFERED = ("queue", "task", "tag", "reason", "running_for")
"""Which filters the list has fields for."""


class JobsPageQuery(JobFilterQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The filters of the page, and which part of the list it shows."""

    cursor: str = ""
    top: str = ""
    """Of a stream: where the page began, so that rows never move while it is open."""
    all: str = ""
    """Not empty: all jobs that match are chosen, not only those of this page."""
    chosen: str = ""
    """Of a stream: how many that were when the page was opened."""
    meta_key: str = ""
    meta_value: str = ""
    arg_name: str = ""
    arg_value: str = ""


async def jobs(call: Call[JobsPageQuery, None]) -> Page:
    """A page of jobs, the newest first."""
    query = with_typed_words(_with_pairs(call.query))
    words, filter = given_words(query), given_filter(call, query)
    of = list_name("/jobs", words)
    top = call.cursors.read(of, query.top, int) if query.top else None
    cursor = call.cursors.read(of, query.cursor, int) if query.cursor else top
    found = await _page(call, filter, cursor)
    counted = await counts_of(call.app)
    counts = counted.total(words.get("queue"))
    chosen = None if not query.all else query.chosen or await _counted(call, filter)
    held = await held_queues(call.app) if any(job.state is State.PENDING for job in found) else {}
    shown = {
        "jobs": found,
        "arguments": {job.id: arguments_line(job, call.app.tasks) for job in found},
        "results": {job.id: line for job in found if (line := result_line(job))},
        "held": held,
        "words": words,
        "chips": {name: value for name, value in words.items() if name not in ("text", "state")},
        "without": lambda name: without(words, name),
        "counts": counts,
        "counted": counted,
        "total": sum(counts.values()),
        "next": None if found.next is None else call.cursors.write(of, found.next),
        "is_first": not query.cursor,
        "unsearched": unsearched_note(found.unsearched),
        "searched_to": await _searched_to(call, found),
        "newer": 0 if top is None else await _newer(call, filter, top),
        "most_newer": _NEWER,
        "chosen": chosen,
        "matching": _known_count(words, counts),
        "ranges": RANGES,
        "offered": {name: words.get(name, "") for name in _OFFERED},
        "names": NAMES,
    }
    return Page("jobs.html", "Jobs", shown, here="/jobs", live=_live(call, of, found, chosen))


def _with_pairs(query: JobsPageQuery) -> JobsPageQuery:
    """A form cannot make a name out of what is typed, so it sends name and value apart."""
    if query.meta_key and query.meta_value:
        query = msgspec.structs.replace(query, meta={**query.meta, query.meta_key: query.meta_value})
    if query.arg_name and query.arg_value:
        query = msgspec.structs.replace(query, arg={**query.arg, query.arg_name: query.arg_value})
    return query


def _live(call: Call[JobsPageQuery, None], of: str, found: Any, chosen: str | None) -> dict[str, str]:
    if call.query.cursor or call.query.top or not found:
        return {}
    return {"top": call.cursors.write(of, found[0].record.seq + 1)} | ({} if chosen is None else {"chosen": chosen})


async def _searched_to(call: Call[JobsPageQuery, None], found: JobPage) -> datetime | None:
    """When the oldest of the jobs that were searched was made; None where all jobs were searched."""
    if found.next is None or len(found) == _PAGE:
        return found[-1].created_at if found.next is not None else None
    last = await call.app.ajobs(limit=1, cursor=found.next + 1)
    return last[0].created_at if last else None


async def _page(call: Call[JobsPageQuery, None], filter: JobFilter, cursor: int | None) -> JobPage:
    client = call.app.client
    return await client.session.arun(job_page(client, shown_filter_for(client, filter), _PAGE, cursor))


async def _newer(call: Call[JobsPageQuery, None], filter: JobFilter, top: int) -> int:
    """How many jobs have come since the page was opened, up to some more than are counted."""
    client = call.app.client
    return await client.session.arun(newer_count(shown_filter_for(client, filter), top=top, most=_NEWER + 1))


async def _counted(call: Call[JobsPageQuery, None], filter: JobFilter) -> str:
    client = call.app.client
    return written_count(await client.session.arun(job_count(shown_filter_for(client, filter))))


def _known_count(words: dict[str, str], counts: Mapping[State, int]) -> str:
    """How many jobs match, where counters know it; empty where they would have to be counted."""
    if set(words) - {"state", "queue"}:
        return ""
    states = [words["state"]] if "state" in words else State
    count = sum(counts.get(State(state), 0) for state in states)
    return f"{count:,}" if count <= 1000 else "1,000+"
