"""Store events of the last days that an operator should know."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from windlass import clock
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import EventRecord

_LATELY = 24 * 3_600_000
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Store events of one kind within the last 24 hours."""

    at: datetime
    """When the newest was recorded."""
    kind: str
    """lost (a job's data has vanished), emptied (the data of all jobs), skewed (a host's clock), stepped (the store's
    clock), hindered (an open transaction blocks the vacuum), miscounted (a limit's counter was wrong),
    cleaned_early (memory or disk ran out).
    """
    by: str | None
    """The process that recorded the newest."""
    count: int
    """How many jobs have vanished, or how many events there were."""
    detail: dict[str, Any] = field(default_factory=dict)
    """Of the newest: seq, queue and ``was`` of a vanished job, seconds of a clock, ``holder`` of a transaction."""

    @property
    def text(self) -> str:
        """The notice in a sentence."""
        said = _SENTENCES[self.kind](self)
        return said if self.kind == "lost" or self.count == 1 else f"{said} (noticed {self.count:,} times)"


def notices() -> Operation[list[Notice]]:
    """The notices of the last 24 hours, the newest first."""
    events = yield from queries.notices(age=_LATELY)
    groups: dict[tuple[str, str | None], list[EventRecord]] = {}
    for event in events:
        if event.kind in _SENTENCES:
            # Each host has its own clock; the other kinds are about the store, whichever process records them.
            groups.setdefault((event.kind, event.worker if event.kind == "skewed" else None), []).append(event)
    return [_summed_up(group) for group in groups.values()]


def _summed_up(events: list[EventRecord]) -> Notice:
    from windlass.insight.timeline import detail_of

    last = events[0]
    return Notice(clock.instant(last.at), last.kind, last.worker, len(events), detail_of(last.detail))


def _lost(notice: Notice) -> str:
    """Of vanished jobs; ``lost`` is the kind under which stores keep these notices."""
    state, queue = notice.detail.get("was", "there"), notice.detail.get("queue")
    where = f"{state} in queue {queue}" if queue else str(state)
    if notice.count == 1:
        return f"a job lost its data while it was {where}"
    return f"{notice.count:,} jobs lost their data; the last one was {where}"


def _emptied(notice: Notice) -> str:
    return "the store lost all its jobs: it was emptied, or its server came back without them"


def _skewed(notice: Notice) -> str:
    seconds = _seconds(notice)
    direction = "ahead of" if seconds > 0 else "behind"
    return f"the clock of worker {notice.by}'s host is {abs(seconds):.1f} s {direction} the store's"


def _stepped(notice: Notice) -> str:
    return f"the store's clock was stepped by {_seconds(notice):+.1f} s, or a worker's host slept"


def _hindered(notice: Notice) -> str:
    holder = notice.detail.get("holder", "an unknown client")
    return f"{holder} had a transaction open for long, so that what jobs leave behind could not be removed"


def _miscounted(notice: Notice) -> str:
    queue, counted, running = (notice.detail.get(name) for name in ("queue", "counted", "running"))
    if queue is None:
        key = f"concurrency key {notice.detail.get('key')!r} of task {notice.detail.get('task')}"
        return f"{key} was held by {counted} by its counter, and by {running} in truth; it was set right"
    where = "all queues" if queue == "*" else f"queue {queue}"
    counted = "nothing" if counted is None else counted
    return f"the counter of running jobs of {where} said {counted} while {running} ran; it was set right"


def _seconds(notice: Notice) -> float:
    seconds = notice.detail.get("seconds")
    return seconds if isinstance(seconds, int | float) else 0.0


def _cleaned_early(notice: Notice) -> str:
    full = f"{notice.detail.get('of', 'the store')} was {notice.detail.get('percent', '?')} % full"
    return f"{full}: {notice.detail.get('deleted', '?')} finished jobs were removed before their time, the oldest first"


_SENTENCES = {
    "cleaned_early": _cleaned_early,
    "lost": _lost,
    "emptied": _emptied,
    "skewed": _skewed,
    "stepped": _stepped,
    "hindered": _hindered,
    "miscounted": _miscounted,
}
