"""One cause of failures: what it says, when it came, and what its jobs have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from windlass.app import Windlass
from windlass.insight.diagnostics.failures import FailureGroup
from windlass.insight.payload import PayloadView, parameters_of
from windlass.insight.workers import WorkerView, last_deploy
from windlass.job import Job
from windlass.web.problems import not_found
from windlass.web.route import Call
from windlass.web.site.drawings.sparklines import draw_hours
from windlass.web.site.failures.causes import causes
from windlass.web.site.failures.failures import is_new, recent_workers
from windlass.web.site.jobs.arguments import MOST_PAYLOAD, short_value
from windlass.web.site.jobs.tracebacks import traceback_of
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

_LOOKED_AT = 50
"""How many of its jobs are compared, the newest."""
_TOP = 3
_MOST_NAMES = 12
_UNNAMED = re.compile(r"[^A-Za-z0-9._-]")
"""What no name of a rule has."""


class CauseQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which cause; without one, the most frequent of the task."""

    task: str
    cause: str = ""
    reason: str = ""
    """Jobs that an earlier release has failed have no cause, and are grouped by their reason."""


@dataclass(frozen=True, slots=True)
class Common:
    """The values that jobs have under one name, the most frequent first."""

    name: str
    of: int
    """How many jobs have one."""
    distinct: int
    top: list[tuple[str, int]]
    """Those that occur more than once, or the only ones."""


async def _newest(app: Windlass, *words: str) -> list[Job[Any]]:
    names: Any = dict(zip(words[::2], words[1::2], strict=True))
    return list(await app.ajobs(limit=_LOOKED_AT, **names))


_JOBS = Recent(_newest, seconds=5)


async def cause(call: Call[CauseQuery, None]) -> Page:
    """One group of failed jobs."""
    group = await _group(call)
    words = jobs_of(group)
    jobs = await _JOBS.of(call.app, *(part for pair in words.items() for part in pair))
    workers = await recent_workers(call.app)
    deployed_at = last_deploy(workers)
    shown = {
        "group": group,
        "words": words,
        "jobs": jobs,
        "sample": None if group.fault is None else traceback_of(group.fault),
        "is_new": is_new(group, deployed_at),
        "deployed_at": deployed_at,
        "hours": draw_hours(group.hours, now=call.now),
        "arguments": list(common_arguments(jobs, parameters_of(group.task, call.app.tasks))),
        "places": list(_places(jobs, workers)),
        "rule_name": _rule_name(group.task),
    }
    return Page("cause.html", group.error or group.reason or "Failure", shown, here="/failures")


async def _group(call: Call[CauseQuery, None]) -> FailureGroup:
    query = call.query
    for group in await causes(call.app):
        if group.task == query.task and query.cause in ("", group.cause) and query.reason in ("", group.reason):
            return group
    raise not_found("no failed job of this cause is listed: they were retried or deleted, or others are more frequent")


def jobs_of(group: FailureGroup) -> dict[str, str]:
    """The filter that finds the jobs of a group."""
    of_it = {"cause": group.cause} if group.cause else {"reason": group.reason}
    return {name: value for name, value in {"state": "failed", "task": group.task, **of_it}.items() if value}


def common_arguments(jobs: Iterable[Job[Any]], parameters: Sequence[str]) -> Iterator[Common]:
    """What the arguments of jobs have in common, secrets masked."""
    values: dict[str, Counter[str]] = {}
    for job in jobs:
        if len(job.record.payload) > MOST_PAYLOAD:
            continue
        for name, value in PayloadView.of(job.record.payload, parameters).named(parameters):
            if not name.startswith("["):  # names tell which are secrets
                for part, inner in _parts(name, value):
                    values.setdefault(part, Counter())[short_value(inner)] += 1
    for name, counts in list(values.items())[:_MOST_NAMES]:
        yield _common(name, counts)


def _parts(name: str, value: object) -> Iterator[tuple[str, object]]:
    """A value, or what lies in an object by its keys.

    >>> list(_parts("amount", {"value": "74.50", "currency": "EUR"}))
    [('amount.value', '74.50'), ('amount.currency', 'EUR')]
    """
    if isinstance(value, dict) and value and "$" not in value:
        yield from ((f"{name}.{key}", inner) for key, inner in value.items())
    else:
        yield name, value


def _places(jobs: Sequence[Job[Any]], workers: Iterable[WorkerView]) -> Iterator[Common]:
    """Where jobs failed: queues, hosts, and the releases of workers that are still known."""
    known = {worker.name: worker.info for worker in workers}
    ran = [known.get(job.worker or "", {}) for job in jobs]
    yield _common("queue", Counter(job.queue for job in jobs))
    yield _common(
        "host", Counter(str(info.get("host") or job.worker or "") for job, info in zip(jobs, ran, strict=True))
    )
    yield _common("release", Counter(str(info.get("release") or "") for info in ran))


def _common(name: str, counts: Counter[str]) -> Common:
    """
    >>> _common("plan", Counter({"free": 2, "pro": 1}))
    Common(name='plan', of=3, distinct=2, top=[('free', 2)])
    >>> _common("order", Counter({"7": 1, "8": 1})).top
    []
    """
    counts.pop("", None)
    often = [(value, count) for value, count in counts.most_common(_TOP) if count > 1 or len(counts) == 1]
    return Common(name, counts.total(), len(counts), often)


def _rule_name(task: str) -> str:
    """
    >>> _rule_name("mail:send to all")
    'mail-send-to-all-fails'
    """
    return f"{_UNNAMED.sub('-', task[:50])}-fails"
