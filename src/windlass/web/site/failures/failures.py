"""All failed jobs, by cause; muting one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

from windlass.app import Windlass
from windlass.core.fault.mute import UNTIL_DEPLOY, muted_group
from windlass.insight.diagnostics.failures import FailureGroup, FailureGroups
from windlass.insight.workers import WorkerView, last_deploy
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.done import Done, WayBack
from windlass.web.site.drawings.sparklines import Sparkline, draw_failures
from windlass.web.site.failures.causes import causes
from windlass.web.site.failures.sums import GROUPINGS, dead_parts, failure_sums
from windlass.web.site.jobs.tracebacks import Traceback, traceback_of
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

LENGTHS = {"1h": "1 hour", "24h": "1 day", "7d": "1 week", UNTIL_DEPLOY: "until the next deploy"}


class FailuresQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By what failed jobs are grouped."""

    by: Literal["cause", "task", "queue", "host"] = "cause"


class MuteQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which group is to be muted."""

    group: str


class MuteForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which group, why, and for how long."""

    group: str
    reason: str = ""
    lasts: str = "1h"
    other: str = ""


class UnmuteForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which group counts again."""

    group: str


@dataclass(frozen=True, slots=True)
class GroupView:
    """One cause, as a row."""

    group: FailureGroup
    trend: Sparkline | None
    is_new: bool
    """Whether it has first failed since the workers were started last."""
    traceback: Traceback | None


async def failures(call: Call[FailuresQuery, None]) -> Page:
    """Failed jobs, by cause or by where they failed."""
    groups = await causes(call.app)
    if call.query.by != "cause":
        return await _sums(call, groups)
    mutes = await call.app.adead_mutes()  # groups are cached for some seconds; the page after a mute has to show it
    quiet = {mute.cause for mute in mutes}
    deployed_at = last_deploy(await recent_workers(call.app))
    shown = {
        "by": "cause",
        "groupings": GROUPINGS,
        "groups": groups,
        "rows": [_row(group, deployed_at) for group in groups if group.cause not in quiet],
        "muted": [group for group in groups if group.cause in quiet],
        "mutes": mutes,
        "failed_count": sum(group.count for group in groups),
        "recent_count": sum(group.recent for group in groups),
        "deployed_at": deployed_at,
    }
    return Page("failures.html", "Failures", shown, here="/failures")


async def _sums(call: Call[FailuresQuery, None], groups: FailureGroups) -> Page:
    by = call.query.by
    found = await dead_parts(call.app, by)
    rows = failure_sums(found.groups, by, groups, await recent_workers(call.app))
    shown = {
        "by": by,
        "groupings": GROUPINGS,
        "rows": rows,
        "examined": found.examined,
        "is_whole": found.is_whole,
        "failed_count": sum(row.count for row in rows),
        "recent_count": sum(row.recent for row in rows),
    }
    return Page("failure_sums.html", "Failures", shown, here="/failures")


async def _read_workers(app: Windlass) -> list[WorkerView]:
    return await app.aworkers()


_WORKERS = Recent(_read_workers, seconds=5)


async def recent_workers(app: Windlass) -> list[WorkerView]:
    """The workers of some seconds ago: pages ask for them often, and they change seldom."""
    return await _WORKERS.of(app)


async def ask_mute(call: Call[MuteQuery, None]) -> Page:
    """Ask for how long to mute a group, and why."""
    cause = muted_group(call.query.group)
    alike = [group for group in await causes(call.app) if group.cause == cause]
    shown = {"group": cause, "alike": alike, "count": sum(group.count for group in alike), "lengths": LENGTHS}
    return Page("mute_question.html", "Mute this group?", shown, here="/failures", is_live=False)


async def mute_group(call: Call[Nothing, MuteForm]) -> Answer:
    form = call.body
    muted = await call.app.adead_mute(form.group, lasts=form.other or form.lasts, reason=form.reason, by=call.by)
    back = WayBack("Count it again", "/failures/unmute", {"group": muted.cause})
    return Answer(Done("/failures", "Alerts leave this group out for now.", back), target=muted.cause)


async def unmute_group(call: Call[Nothing, UnmuteForm]) -> Answer:
    await call.app.adead_unmute(call.body.group)
    return Answer("/failures", target=call.body.group)


def _row(group: FailureGroup, deployed_at: datetime | None) -> GroupView:
    fault = None if group.fault is None else traceback_of(group.fault)
    return GroupView(group, draw_failures(group.hours), is_new(group, deployed_at), fault)


def is_new(group: FailureGroup, deployed_at: datetime | None) -> bool:
    """Whether it has first failed since the last deploy."""
    return deployed_at is not None and group.oldest is not None and group.oldest >= deployed_at
