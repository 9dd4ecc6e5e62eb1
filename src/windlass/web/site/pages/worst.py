"""With which arguments a task is slow, and with which it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from windlass.app import Windlass
from windlass.insight.payload import parameters_of
from windlass.insight.redact import MASK
from windlass.job import Job
from windlass.web.site.failures.cause import Common, common_arguments
from windlass.web.site.jobs.arguments import arguments_line, short_value
from windlass.web.site.recent import Recent

_LOOKED_AT = 200
"""How many jobs of the task are looked through for slow ones, the newest."""
_SLOWEST = 5
_FAILED = 50
"""How many failed jobs are compared, the newest."""


@dataclass(frozen=True, slots=True)
class SlowRun:
    """The last run of a job that took long."""

    job: Job[Any]
    took: timedelta
    arguments: str
    """In a line, secrets masked."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The slowest of the newest runs of a task, and what its newest failed jobs have in common."""

    slowest: list[SlowRun]
    looked_at: int
    back_to: datetime | None
    failed: int
    """How many failed jobs were compared."""
    common: list[Common]


async def _read(app: Windlass, task: str) -> Worst:
    jobs = await app.ajobs(task=task, limit=_LOOKED_AT)
    failed = await app.ajobs(task=task, state="failed", limit=_FAILED)
    return Worst(
        slowest=slowest(app, jobs),
        looked_at=len(jobs),
        back_to=jobs[-1].created_at if jobs else None,
        failed=len(failed),
        common=[one for one in common_arguments(failed, parameters_of(task, app.tasks)) if _tells(one)],
    )


def _tells(common: Common) -> bool:
    return bool(common.top) and common.top[0][0] != short_value(MASK)


def slowest(app: Windlass, jobs: Sequence[Job[Any]]) -> list[SlowRun]:
    """Those of ended jobs whose last run took longest."""
    ran = [(job.finished_at - job.started_at, job) for job in jobs if job.started_at and job.finished_at]
    ran.sort(key=lambda pair: pair[0], reverse=True)
    return [SlowRun(job, took, arguments_line(job, app.tasks)) for took, job in ran[:_SLOWEST]]


_RECENT = Recent(_read, seconds=30)


async def worst_of(app: Windlass, task: str) -> Worst:
    """As of some seconds ago: no index serves this."""
    return await _RECENT.of(app, task)
