"""One worker: what its slots run, its last jobs, its memory, its settings; where it is, when asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windlass.app import Windlass
from windlass.errors import JobNotFound
from windlass.insight.figures.figures import Figures
from windlass.insight.redact import redacted_text
from windlass.insight.workers import WORKER_INFO, WorkerView, read_instant
from windlass.job import Job
from windlass.web.problems import Problem, not_found
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.drawings.sparklines import draw_activity
from windlass.web.site.page import Page, rendered
from windlass.web.site.pages.workers.workers import HOUR
from windlass.web.site.recent import Recent

_RUNNING_SHOWN = 20
_STACKS = "10s"
_ELSEWHERE = (
    "queues",
    "running",
    "last",
    "memory",
    "cpu",
    "ended",
    "failed",
    "unknown_tasks",
    "uptime",
    "stacks",
    "rounds",
)
"""What of a worker's report has a place of its own on the page."""


@dataclass(frozen=True, slots=True)
class DutyRound:
    """What a duty did when it was last run."""

    duty: str
    did: str
    at: datetime


async def _of_worker(app: Windlass, name: str) -> Figures:
    return await app.afigures(worker=name, range="1h", step="1m")


_FIGURES = Recent(_of_worker, seconds=5)


async def worker(call: Call[Nothing, None]) -> Page:
    """Everything about one worker."""
    found = await _found(call)
    info = found.info
    hour = await HOUR.of(call.app)
    shown = {
        "worker": found,
        "running": await _running(call.app, info.get("running")),
        "running_count": _number(info.get("running_count")),
        "slots": _number(info.get("concurrency")),
        "last": [one for one in _list(info.get("last")) if isinstance(one, Mapping)],
        "queues": found.queues,
        "unknown": [str(name) for name in _list(info.get("unknown_tasks"))],
        "facts": [(name, text) for name in WORKER_INFO if name not in _ELSEWHERE and (text := _fact(info.get(name)))],
        "leads_since": read_instant(info.get("leads_since")),
        "rounds": _rounds(info.get("rounds")),
        "did": draw_activity(hour[found.name]) if found.name in hour else None,
        "hour": (await _FIGURES.of(call.app, found.name)).total,
    }
    return Page("worker.html", found.name, shown, here="/workers")


async def show_stacks(call: Call[Nothing, Nothing]) -> Answer:
    """Where its threads and coroutines are at this moment; the worker is asked through the store."""
    found = await _found(call)
    answers = await call.app.aworker_stacks(found.id, timeout=_STACKS)
    if found.id not in answers:
        raise Problem(504, "No answer", f"worker {found.name} has not answered within {_STACKS}; it may hang")
    page = Page(
        "stacks.html",
        f"Stacks of {found.name}",
        {"worker": found, "text": redacted_text(answers[found.id])},
        here="/workers",
        is_live=False,
    )
    return Answer(rendered(call, page))


async def _found(call: Call[Any, Any]) -> WorkerView:
    id = call.path["id"]
    called = [one for one in await call.app.aworkers() if id in (one.id, one.name)]
    if not called:
        raise not_found(f"no worker has the name or id {id!r}")
    return next((one for one in called if one.is_alive), called[0])


async def _running(app: Windlass, reported: object) -> list[Job[Any]]:
    """The jobs that its report names, as far as they are still there."""
    jobs: list[Job[Any]] = []
    for one in _list(reported)[:_RUNNING_SHOWN]:
        if isinstance(one, Mapping) and isinstance(one.get("id"), str):
            try:
                jobs.append(await app.ajob(one["id"]))
            except JobNotFound:
                continue
    return jobs


def _list(value: object) -> list[Any]:
    """What a worker says of itself is data of the store, and may be damaged."""
    return value if isinstance(value, list) else []


def _fact(value: object) -> str:
    """What a worker reports, in words; empty for what says nothing."""
    if value in (None, "", [], {}):
        return ""
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{name} {number}" for name, number in value.items())
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _rounds(reported: object) -> list[DutyRound]:
    """The newest round of each of its duties, the newest first."""
    rounds = [
        DutyRound(str(one.get("duty")), str(one.get("did") or ""), at)
        for one in _list(reported)
        if isinstance(one, Mapping) and (at := read_instant(one.get("at"))) is not None
    ]
    return sorted(rounds, key=lambda one: one.at, reverse=True)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
