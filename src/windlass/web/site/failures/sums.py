"""Failed jobs by task, by queue or by host, each with its largest causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.app import Windlass
from windlass.insight.diagnostics.failures import FailureGroup
from windlass.insight.workers import WorkerView
from windlass.store.operations.diagnostics.failures import STEPS, DeadGroup, DeadGroups, Part, dead_groups
from windlass.web.site.drawings.sparklines import Sparkline, draw_failures
from windlass.web.site.recent import Recent

GROUPINGS = {"cause": "Cause", "task": "Task", "queue": "Queue", "host": "Host"}
"""By what failed jobs are grouped, and its name."""
_PARTS: Mapping[str, Part] = {"queue": "queue", "host": "worker"}
_EXAMINED = 5_000
"""How many failed jobs are grouped for a page, the newest first."""
_CAUSES = 3
"""How many causes of a row are named."""
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Share:
    """How many jobs of a row have one cause."""

    count: int
    group: DeadGroup
    known: FailureGroup | None
    """The same cause among all failed jobs, with what it said; None where it is not listed."""


@dataclass(frozen=True, slots=True)
class FailureSum:
    """The failed jobs of one task, queue or host."""

    name: str
    count: int
    recent: int
    oldest: datetime | None
    newest: datetime | None
    trend: Sparkline | None
    causes: list[Share]
    """The largest."""
    more: int
    """How many causes are not named."""
    words: dict[str, str]
    """The filter that finds these jobs; empty where none does."""


async def _read(app: Windlass, by: str) -> DeadGroups:
    return await app.client.session.arun(dead_groups(most=_EXAMINED, by=_PARTS.get(by)))


_RECENT = Recent(_read, seconds=5)


async def dead_parts(app: Windlass, by: str) -> DeadGroups:
    """The newest failed jobs by cause, told apart as this grouping needs it."""
    return await _RECENT.of(app, by)


def failure_sums(
    found: Iterable[DeadGroup], by: str, known: Iterable[FailureGroup], workers: Iterable[WorkerView]
) -> list[FailureSum]:
    """The rows of a grouping, the largest first."""
    hosts = {worker.name: str(worker.info.get("host") or worker.name) for worker in workers}
    names: dict[str, Callable[[DeadGroup], str]] = {
        "task": lambda group: group.task,
        "queue": lambda group: group.part or _UNKNOWN,
        "host": lambda group: hosts.get(group.part or "", group.part or _UNKNOWN),
    }
    rows: dict[str, list[DeadGroup]] = defaultdict(list)
    for group in found:
        rows[names[by](group)].append(group)
    causes = {(group.task, group.cause, group.reason): group for group in known}
    sums = [_sum(name, by, groups, causes) for name, groups in rows.items()]
    return sorted(sums, key=lambda row: (-row.count, row.name))


def _sum(
    name: str, by: str, groups: Sequence[DeadGroup], known: Mapping[tuple[str, str | None, str | None], FailureGroup]
) -> FailureSum:
    hours = [sum(counts) for counts in zip(*(group.hours for group in groups), strict=True)]
    shares: dict[tuple[str, str | None, str | None], Share] = {}
    for group in groups:  # one cause of a host may have several workers
        key = (group.task, group.cause, group.reason)
        before = shares[key].count if key in shares else 0
        shares[key] = Share(before + group.count, group, known.get(key))
    causes = sorted(shares.values(), key=lambda share: -share.count)
    return FailureSum(
        name=name,
        count=sum(group.count for group in groups),
        recent=sum(group.recent for group in groups),
        oldest=clock.instant_or_none(min((group.oldest for group in groups if group.oldest), default=None)),
        newest=clock.instant_or_none(max((group.newest for group in groups if group.newest), default=None)),
        trend=draw_failures(hours or [0] * STEPS),
        causes=causes[:_CAUSES],
        more=max(0, len(causes) - _CAUSES),
        words={"state": "failed", by: name} if by in ("task", "queue") else {},
    )
