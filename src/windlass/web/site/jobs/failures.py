"""What is failing, since when, and is it one cause?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from windlass.insight.diagnostics.failures import FailureGroup
from windlass.insight.workers import WorkerView
from windlass.web.route import Call
from windlass.web.site.jobs.tracebacks import Traceback, traceback_of
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent
from windlass.web.site.sparklines import Sparkline, draw_sparkline

_MOST = 100
_GROUPS = Recent(lambda app: app.adead_groups(_MOST), seconds=5)
"""Grouping walks through up to 100,000 failed jobs."""
_WORKERS = Recent(lambda app: app.aworkers(), seconds=5)


class FailuresQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which group is open, by the id of its newest job."""

    open: str = ""


@dataclass(frozen=True, slots=True)
class GroupView:
    """One cause, as a row."""

    group: FailureGroup
    trend: Sparkline | None
    is_new: bool
    """Whether it has first failed since the workers were started last."""
    traceback: Traceback | None


async def failures(call: Call[FailuresQuery, None]) -> Page:
    """Failed jobs, by cause."""
    groups = await _GROUPS.of(call.app)
    deployed_at = last_deploy(await _WORKERS.of(call.app))
    shown = {
        "groups": groups,
        "rows": [_row(group, deployed_at) for group in groups],
        "failed_count": sum(group.count for group in groups),
        "recent_count": sum(group.recent for group in groups),
        "deployed_at": deployed_at,
    }
    return Page("failures.html", "Failures", shown, here="/failures")


def last_deploy(workers: list[WorkerView]) -> datetime | None:
    """Since when all live workers have run the code that they run now: when the first of those that have the newest
    version was started; None without a worker.
    """
    alive = [worker for worker in workers if worker.is_alive and worker.runs_jobs]
    if not alive:
        return None
    newest = max(alive, key=lambda worker: worker.started_at).info.get("version")
    return min(worker.started_at for worker in alive if worker.info.get("version") == newest)


def _row(group: FailureGroup, deployed_at: datetime | None) -> GroupView:
    is_new = deployed_at is not None and group.oldest is not None and group.oldest >= deployed_at
    most = max(group.hours, default=0)
    trend = draw_sparkline(group.hours, f"{sum(group.hours):,} in the last 24 hours, up to {most:,} in one")
    return GroupView(group, trend, is_new, None if group.fault is None else traceback_of(group.fault))
