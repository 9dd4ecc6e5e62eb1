"""The filters of the list of jobs, in its address."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta

from windlass.core.units import read_past
from windlass.insight.job_filter import JobFilter
from windlass.web.route import Call

NAMES = ("state", "queue", "task", "tag", "text", "reason", "cause", "since", "until", "running_for", "id")
"""The filters that are one text each; metadata is ``meta.KEY=value``, an argument ``arg.NAME=value``."""
_PAIRED = ("meta", "arg")
_TIMES = ("since", "until")
Text = Annotated[str, Meta(max_length=256)]

_WORD = re.compile(
    r"(?:^|(?<=\s))(?P<name>"
    + "|".join(name for name in NAMES if name != "text")
    + r"|(?:"
    + "|".join(_PAIRED)
    + r")\.[^\s:]+)"
    r':(?:"(?P<quoted>[^"]*)"|(?P<plain>\S+))(?=\s|$)'
)
"""``queue:mail`` or ``tag:"two words"`` within what is typed."""


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
    arg: Annotated[dict[Text, Text], Meta(max_length=5)] = {}


_Query = TypeVar("_Query", bound=JobFilterQuery)


def with_typed_words(query: _Query) -> _Query:
    """The filters that are typed as words, such as ``queue:mail``, apart from the text that is searched for."""
    text = query.text.strip()
    if _literal(text) != text:
        return query
    typed = {found["name"]: found["quoted"] or found["plain"] or "" for found in _WORD.finditer(text)}
    if not typed:
        return query
    filters: dict[str, Any] = {name: value for name, value in typed.items() if name in NAMES}
    for field in _PAIRED:
        keys = {name.partition(".")[2]: value for name, value in typed.items() if name.startswith(f"{field}.")}
        filters[field] = {**getattr(query, field), **keys}
    rest = " ".join(_WORD.sub(" ", text).split())
    return msgspec.structs.replace(query, text=rest, **filters)


def _literal(text: str) -> str:
    """What stands between quotes as a whole is searched for as it is, though it looks like a filter.

    >>> _literal('"state:failed"'), _literal('"EUR"')
    ('state:failed', '"EUR"')
    """
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if is_quoted and _WORD.search(text[1:-1]) else text


def given_words(query: JobFilterQuery) -> dict[str, str]:
    """What is asked for, as it stands in the address."""
    words = {name: value for name in NAMES if (value := getattr(query, name).strip())}
    pairs = [(f"{field}.{key}", value) for field in _PAIRED for key, value in getattr(query, field).items()]
    return words | {name: value for name, value in pairs if value}


def given_filter(call: Call[Any, Any], query: JobFilterQuery) -> JobFilter:
    """The same in the types of the API, with absolute times."""
    words = given_words(query)
    filter: dict[str, Any] = {name: value for name, value in words.items() if name in NAMES}
    for name in _TIMES:
        if name in filter:
            filter[name] = read_past(filter[name], name, now=call.now)
    if "text" in filter:
        filter["text"] = _literal(filter["text"])
    for field in _PAIRED:
        if pairs := {key: value for key, value in getattr(query, field).items() if value}:
            filter[field] = pairs
    return cast(JobFilter, filter)


def without(words: dict[str, str], name: str) -> dict[str, str]:
    """The filter without one of its parts."""
    return {other: value for other, value in words.items() if other != name}
