"""Failed jobs by what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.queries import NEWEST, FinishedJob, awaited
from windlass.store.pages import PAGE_BYTES

WINDOW = 1000
"""How many failed jobs one call looks at: Redis does nothing else meanwhile."""

EXAMINED = 100_000
"""How many failed jobs are looked at, the newest first."""

RECENT = 3_600_000
"""For how many milliseconds a failure is recent."""

STEPS = 24
"""How many spans of that length, back from now, failures are counted by."""

Part = Literal["queue", "worker"]
"""By what groups of one cause may be told apart."""

_READ_BYTES = 8 * PAGE_BYTES
_SEQ_DIGITS = 19


class DeadGroup(Struct, frozen=True, array_like=True):
    """Failed jobs of one task that failed in the same way."""

    task: str
    reason: str | None
    error: str | None
    """The type of the error."""
    count: int
    newest: int | None
    cause: str | None = None
    """The fingerprint that they share (``core/fault/cause.py``); None for those that an earlier release has failed."""
    oldest: int | None = None
    recent: int = 0
    """How many failed within the last hour."""
    sample: str = ""
    """The id of the newest of them."""
    ages: str | None = None
    """Of those that failed within the last day: how many whole hours ago each did, joined by commas."""
    part: str | None = None
    """Their queue or their worker, if the groups are told apart by that."""

    @property
    def hours(self) -> tuple[int, ...]:
        """How many failed in each hour of the last day, the earliest first."""
        counts = Counter(map(int, filter(None, (self.ages or "").split(","))))
        return tuple(counts[age] for age in reversed(range(STEPS)))


class DeadGroups(Struct, frozen=True):
    """The groups, the largest first, and how far the look went."""

    groups: list[DeadGroup]
    examined: int
    """How many failed jobs were looked at."""
    is_whole: bool
    """Whether these are all that there are."""


def dead_groups(*, most: int = EXAMINED, by: Part | None = None) -> Operation[DeadGroups]:
    """Group failed jobs by task, reason and cause, and by queue or worker if ``by`` says so: the ``most`` newest, some
    thousands with each call.
    """
    found: dict[tuple[str | None, ...], DeadGroup] = {}
    cursor, examined = NEWEST, 0
    for _ in range(-(-most // WINDOW)):
        window = min(WINDOW, most - examined)
        params = {"cursor": cursor, "window": window, "bytes": _READ_BYTES, "recent": RECENT, "steps": STEPS, "by": by}
        answer = yield Call("dead_groups", params, Lane.READ)
        for group in records(answer["groups"], DeadGroup):
            key = (group.task, group.reason, group.error, group.cause, group.part)
            found[key] = _united(found.get(key), group)
        [(looked, last, has_more)] = answer["examined"]
        examined += looked
        if not has_more:
            return DeadGroups(_ordered(found.values()), examined, is_whole=True)
        cursor = last
    return DeadGroups(_ordered(found.values()), examined, is_whole=False)


def samples(groups: Sequence[DeadGroup]) -> Operation[dict[str, FinishedJob]]:
    """The newest job of each group with its errors, by id; without those that are gone or run again."""
    found: dict[str, FinishedJob] = {}
    left = [group.sample for group in groups]
    while left:
        answered = {job.id: job for job in (yield from awaited(left))}
        found |= answered
        left = [id for id in left if id not in answered] if answered else []
    return {id: job for id, job in found.items() if job.state is not None}


def _united(known: DeadGroup | None, page: DeadGroup) -> DeadGroup:
    if known is None:
        # Stores give the id behind the seq, which finds the newest.
        return msgspec.structs.replace(page, sample=page.sample[_SEQ_DIGITS:])
    return msgspec.structs.replace(
        known,
        count=known.count + page.count,
        recent=known.recent + page.recent,
        newest=max(known.newest or 0, page.newest or 0),
        oldest=min(known.oldest or 0, page.oldest or 0),
        ages=",".join(filter(None, (known.ages, page.ages))),
    )


def _ordered(groups: Iterable[DeadGroup]) -> list[DeadGroup]:
    def order(group: DeadGroup) -> tuple[object, ...]:
        return -group.count, group.task, group.reason or "", group.error or "", group.cause or "", group.part or ""

    return sorted(groups, key=order)
