"""Failed jobs by their cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core import validate
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import open_ended
from windlass.core.fault import Fault, outline, place_of, read_faults
from windlass.insight.diagnostics.mutes import MuteView, mute_views
from windlass.store.operation import Operation
from windlass.store.operations.diagnostics.failures import EXAMINED, RECENT, DeadGroup, dead_groups, samples
from windlass.store.operations.queries import FinishedJob


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failed jobs of one task that have the same cause."""

    cause: str | None
    """The fingerprint of type, place and message; what ``--group`` takes. None for those that an earlier release has
    failed: they are grouped by the type of their error.
    """
    task: str
    reason: str | None
    error: str | None
    """The type of the error."""
    message: str | None
    """What it said, without numbers, ids and quoted parts."""
    place: str | None
    """File and function in the user's own code."""
    count: int
    recent: int
    """How many failed within the last hour."""
    oldest: datetime | None
    newest: datetime | None
    sample: str
    """The id of the newest of them."""
    hours: tuple[int, ...]
    """How many failed in each hour of the last day, the earliest first."""
    fault: Fault | None
    """What the newest of them raised; None where that cannot be read, or is encrypted and its key is not here."""
    trend: str
    """``new``, ``rising``, ``steady``, ``falling`` or ``over``: the last hour against those before it."""
    mute: MuteView | None = None
    """Who has muted its cause, why and until when; None for one that is not muted."""


class FailureGroups(list[FailureGroup]):
    """The groups, the largest first; behind them those whose cause is muted.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> groups = app.dead_groups()
    >>> list(groups), groups.examined, groups.is_whole
    ([], 0, True)
    >>> app.close()
    """

    def __init__(
        self, groups: Iterable[FailureGroup], *, examined: int, is_whole: bool, mutes: Sequence[MuteView] = ()
    ) -> None:
        super().__init__(groups)
        self.examined = examined
        """How many failed jobs were looked at, the newest first."""
        self.is_whole = is_whole
        """Whether those were all."""
        self.mutes = tuple(mutes)
        """All causes that are muted, the oldest mute first, also those of which no group is listed."""

    @property
    def muted_count(self) -> int:
        """How many of the groups have a muted cause; they come last."""
        return sum(group.mute is not None for group in self)


def failure_groups(limit: int, encryption: Encryption, *, most: int = EXAMINED) -> Operation[FailureGroups]:
    """The ``limit`` largest groups of the ``most`` newest failed jobs, each with what its newest job says; those whose
    cause is muted come last.
    """
    validate.whole_number(limit, "limit", least=1, most=10_000)
    found = yield from dead_groups(most=most)
    muted = {mute.cause: mute for mute in (yield from mute_views())}
    shown = sorted(found.groups, key=lambda group: group.cause in muted)[:limit]
    known = {id: open_ended(encryption, job) for id, job in (yield from samples(shown)).items()}
    return FailureGroups(
        (_view(group, known.get(group.sample), muted.get(group.cause or "")) for group in shown),
        examined=found.examined,
        is_whole=found.is_whole,
        mutes=list(muted.values()),
    )


def _view(group: DeadGroup, sample: FinishedJob | None, mute: MuteView | None) -> FailureGroup:
    faults = read_faults(None if sample is None else sample.errors).faults
    newest = faults[-1] if faults else None
    return FailureGroup(
        cause=group.cause,
        task=group.task,
        reason=group.reason,
        error=group.error or (newest.type if newest else None),
        message=outline(newest.message) if newest else None,
        place=place_of(newest) if newest else None,
        count=group.count,
        recent=group.recent,
        oldest=clock.instant_or_none(group.oldest),
        newest=clock.instant_or_none(group.newest),
        sample=group.sample,
        hours=group.hours,
        fault=newest,
        trend=_trend(group),
        mute=mute,
    )


def _trend(group: DeadGroup) -> str:
    before = group.count - group.recent
    if group.recent == 0:
        return "over"
    if before == 0:
        return "new"
    span = (group.newest or 0) - (group.oldest or 0)
    usual = before * RECENT / max(RECENT, span - RECENT)
    if group.recent > 2 * usual:
        return "rising"
    return "falling" if 2 * group.recent < usual else "steady"
