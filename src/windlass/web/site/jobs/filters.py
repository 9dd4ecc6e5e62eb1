"""The filters of the list of jobs, in its address."""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from windlass.core.units import read_past
from windlass.insight.job_filter import JobFilter
from windlass.web.route import Call

NAMES = ("state", "queue", "task", "tag", "text", "reason", "cause", "since", "until", "running_for", "id")
"""The filters that are one text each; metadata is ``meta.KEY=value``."""
_TIMES = ("since", "until")
Text = Annotated[str, Meta(max_length=256)]


class JobFilterQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The filters of a page, in its address: empty fields of a form find all."""

    state: Text = ""
    queue: Text = ""
    task: Text = ""
    tag: Text = ""
    text: Text = ""
    reason: Text = ""
    cause: Text = ""
    since: Text = ""
    until: Text = ""
    running_for: Text = ""
    id: Text = ""
    meta: Annotated[dict[Text, Text], Meta(max_length=5)] = {}


def given_words(query: JobFilterQuery) -> dict[str, str]:
    """What is asked for, as it stands in the address."""
    words = {name: value for name in NAMES if (value := getattr(query, name).strip())}
    return words | {f"meta.{key}": value for key, value in query.meta.items() if value}


def given_filter(call: Call[Any, Any], query: JobFilterQuery) -> JobFilter:
    """The same in the types of the API, with absolute times."""
    words = given_words(query)
    filter: dict[str, Any] = {name: value for name, value in words.items() if not name.startswith("meta.")}
    for name in _TIMES:
        if name in filter:
            filter[name] = read_past(filter[name], name, now=call.now)
    if query.meta:
        filter["meta"] = {key: value for key, value in query.meta.items() if value}
    return cast(JobFilter, filter)


def without(words: dict[str, str], name: str) -> dict[str, str]:
    """The filter without one of its parts."""
    return {other: value for other, value in words.items() if other != name}
