"""Cool-downs of queues, tasks and limits: after a run was throttled, nothing of them begins for a while."""

from __future__ import annotations

from enum import StrEnum, unique

from msgspec import Struct

from windlass.core.rates.cooldown import QUIET, Cooldown
from windlass.core.records import Claimed
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

AT_MOST = 1000
"""So many cool-downs are listed."""


@unique
class Scope(StrEnum):
    """What cools down."""

    QUEUE = "queue"
    TASK = "task"
    """Named by its name, or, if it has a rate, by the key of its rate that cools down (``core/rates/key.py``)."""
    LIMIT = "limit"


class CooldownRecord(Struct, frozen=True, array_like=True):
    """A cool-down that lasts."""

    scope: Scope
    name: str
    began_at: int
    ends_at: int
    job: str
    """The id of the job that was throttled."""
    reason: str | None


class Cooling(Struct, frozen=True, array_like=True):
    """For how many milliseconds something cools down, and whether this run began or lengthened that."""

    left: int
    is_new: bool
    is_known: bool
    """False for a limit that does not exist."""


def cool_down(
    scope: Scope, name: str, job: Claimed, *, rule: Cooldown, chosen: int | None, reason: str
) -> Operation[Cooling | None]:
    """Begin a cool-down because a run was throttled; None when the job is not the caller's any more.

    It lasts ``chosen`` milliseconds, or as long as ``rule`` says, longer each time. What is throttled while it lasts
    belongs to the same trouble and begins no other; a ``chosen`` end that is later counts. A repeat changes nothing.
    """
    answer = yield Call(
        "cool_down",
        {
            "scope": scope,
            "name": name,
            "seq": job.seq,
            "fence": job.fence,
            "run": f"{job.seq}:{job.fence}",
            "job": job.id,
            "base": min(rule.shortest, rule.longest),
            "longest": rule.longest,
            "quiet": QUIET,
            "chosen": chosen,
            "reason": reason,
        },
    )
    found = records(answer["cooling"], Cooling)
    return found[0] if found else None


def end_cooldown(scope: Scope, name: str) -> Operation[bool]:
    """End a cool-down, so that the next begins as if there had been none; false when there was none."""
    answer = yield Call("end_cooldown", {"scope": scope, "name": name})
    return bool(answer["ended"])


def end_cooldowns_of(task: str) -> Operation[int]:
    """End the cool-downs of a task and of the keys of its rate; how many."""
    ended = 0
    while True:
        found = yield from cooldowns(task=task)
        for each in found:
            ended += yield from end_cooldown(each.scope, each.name)
        if len(found) < AT_MOST:
            return ended


def cooldowns(*, task: str | None = None) -> Operation[list[CooldownRecord]]:
    """The cool-downs that last, by what cools down: all, or those of one task and of the keys of its rate."""
    answer = yield Call("cooldowns", {"limit": AT_MOST, "task": task}, Lane.READ)
    return records(answer["cooldowns"], CooldownRecord)
