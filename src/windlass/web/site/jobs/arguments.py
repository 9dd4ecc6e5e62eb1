"""The arguments of a job by name, secrets masked; in a line where there is little room."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from windlass.insight.payload import JobValues, PayloadView, parameters_of
from windlass.insight.redact import MASK
from windlass.job import Job
from windlass.task import Task

MOST_PAYLOAD = 8_000
"""Characters of a payload that are read for a line; a longer one would take longer than its line is worth."""
_MOST_VALUE, _MOST_LINE = 40, 160


def arguments_line(job: Job[Any], tasks: Iterable[Task[..., Any]]) -> str:
    """``order_id=7 amount=129.90``; empty where there are none, or they are not for a line. Those without a name are
    left out: names tell which are secrets.
    """
    if len(job.record.payload) > MOST_PAYLOAD:
        return ""
    parameters = parameters_of(job.task, tasks)
    payload = PayloadView.of(job.record.payload, parameters)
    if isinstance(payload.args, Mapping):
        return "encrypted"
    named = [pair for pair in payload.named(parameters) if not pair[0].startswith("[")]
    # What fits into a line comes first, what tells nothing last.
    named.sort(key=lambda pair: (pair[1] == MASK, isinstance(pair[1], dict | list)))
    line = " ".join(f"{name}={short_value(value)}" for name, value in named)
    return line if len(line) <= _MOST_LINE else f"{line[:_MOST_LINE]}…"


def result_line(job: Job[Any]) -> str:
    """What a job has returned, in a line; empty where that is nothing, or not for a line."""
    if job.record.result is None or len(job.record.result) > MOST_PAYLOAD:
        return ""
    result = JobValues.of(job).result
    return "" if result is None else short_value(result)


def short_value(value: object) -> str:
    """A value for a line.

    >>> short_value("ada"), short_value({"value": "74.50"}), short_value(None), short_value(MASK)
    ('ada', '{value:74.50}', 'null', 'masked')
    """
    match value:
        case str():
            text = value
        case {"$": str(), "v": inner}:  # a value that JSON has no form for
            return short_value(inner)
        case _:
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace('"', "")
    text = text.replace(MASK, "masked")
    return text if len(text) <= _MOST_VALUE else f"{text[:_MOST_VALUE]}…"
