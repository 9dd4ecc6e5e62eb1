"""The story of one job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from windlass.client.job_changes import find_record
from windlass.core.fault import Fault
from windlass.core.state import FINISHED, State, Verb, allowed_from
from windlass.insight.payload import JobValues, parameters_of
from windlass.insight.redact import redacted_text
from windlass.job import Job
from windlass.web.route import Call, Nothing
from windlass.web.site.drawings import draw_timeline
from windlass.web.site.graphs import draw_graph
from windlass.web.site.page import Page

_MOST_TEXT = 20_000
_MOST_HISTORY = 200


async def job(call: Call[Nothing, None]) -> Page:
    """Everything about one job."""
    client = call.app.client
    found: Job[Any] = Job.of(client, await client.session.arun(find_record(call.path["id"])))
    parameters = parameters_of(found.task, call.app.tasks)
    values = JobValues.of(found, parameters)
    waits = found.state not in (*FINISHED, State.RUNNING)
    graph = await found.aflow()
    shown = {
        "job": found,
        "why": await found.awhy() if found.state not in FINISHED else None,
        "waits": waits,
        "drawing": draw_timeline(found, call.now),
        "arguments": list(_arguments(values, parameters)),
        "is_unreadable": values.payload.is_unreadable,
        "values": values,
        "attempts": [_attempt(fault) for fault in reversed(found.errors)],
        "history": list(reversed((await found.atimeline())[-_MOST_HISTORY:])),
        "actions": _actions(found.state),
        "graph": draw_graph(graph),
        "flow": graph,
        "steps": await found.asteps(),
    }
    return Page("job.html", found.task, shown, here="/jobs")


def _arguments(values: JobValues, parameters: list[str]) -> Iterator[tuple[str, object]]:
    args, kwargs = values.payload.args, values.payload.kwargs
    for number, value in enumerate(args if isinstance(args, list) else ()):
        yield (parameters[number] if number < len(parameters) else f"[{number}]"), value
    if isinstance(kwargs, Mapping):
        yield from kwargs.items()


def _attempt(fault: Fault) -> dict[str, object]:
    return {
        "number": fault.attempt,
        "worker": fault.worker,
        "at": fault.at,
        "error": redacted_text(f"{fault.type}: {fault.message}"[:_MOST_TEXT]),
        "cause": [redacted_text(cause[:_MOST_TEXT]) for cause in fault.cause],
        "traceback": redacted_text(fault.traceback[:_MOST_TEXT]),
        "log": redacted_text(fault.log[:_MOST_TEXT]),
    }


def _actions(state: State) -> list[str]:
    """What may be done to a job in a state. A retry of a blocked one works only in some cases, so it is not offered."""
    offered = {verb for verb in (Verb.RETRY, Verb.CANCEL, Verb.DELETE) if state in allowed_from(verb)}
    return sorted(offered - {Verb.RETRY} if state is State.BLOCKED else offered)
