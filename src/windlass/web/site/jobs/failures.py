"""What is failing, since when, and is it one cause?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from windlass.core.fault.mute import UNTIL_DEPLOY, muted_group
from windlass.insight.diagnostics.failures import FailureGroup
from windlass.insight.workers import last_deploy
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.done import Done, WayBack
from windlass.web.site.drawings.sparklines import Sparkline, draw_sparkline
from windlass.web.site.jobs.causes import causes
from windlass.web.site.jobs.tracebacks import Traceback, traceback_of
from windlass.web.site.page import Page
from windlass.web.site.recent import Recent

LENGTHS = {"1h": "1 hour", "24h": "1 day", "7d": "1 week", UNTIL_DEPLOY: "until the next deploy"}
_WORKERS = Recent(lambda app: app.aworkers(), seconds=5)


class FailuresQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which group is open, by the id of its newest job."""

    open: str = ""


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
    """Failed jobs, by cause."""
    groups = await causes(call.app)
    mutes = await call.app.adead_mutes()  # groups are cached for some seconds; the page after a mute has to show it
    quiet = {mute.cause for mute in mutes}
    deployed_at = last_deploy(await _WORKERS.of(call.app))
    shown = {
        "groups": groups,
        "rows": [_row(group, deployed_at) for group in groups if group.cause not in quiet],
        "muted": [group for group in groups if group.cause in quiet],
        "mutes": mutes,
        "failed_count": sum(group.count for group in groups),
        "recent_count": sum(group.recent for group in groups),
        "deployed_at": deployed_at,
    }
    return Page("failures.html", "Failures", shown, here="/failures")


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
    is_new = deployed_at is not None and group.oldest is not None and group.oldest >= deployed_at
    return GroupView(group, draw_trend(group), is_new, None if group.fault is None else traceback_of(group.fault))


def draw_trend(group: FailureGroup) -> Sparkline | None:
    """How many failed in each hour of a day; None where none did."""
    most = max(group.hours, default=0)
    return draw_sparkline(group.hours, f"{sum(group.hours):,} in the last 24 hours, up to {most:,} in one")
