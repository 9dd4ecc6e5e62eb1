"""Queues and their settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

ALL = "*"
"""The name under which what is true for all queues is kept."""


class QueueRecord(Struct, frozen=True, array_like=True):
    """A queue's settings; None means that nothing was set."""

    name: str
    weight: int | None = None
    max_length: int | None = None
    max_running: int | None = None
    retention: str | None = None
    retry: str | None = None
    paused_at: int | None = None
    paused_by: str | None = None
    paused_reason: str | None = None
    changed_at: int | None = None
    changed_by: str | None = None
    cooldown: str | None = None
    rate: str | None = None
    decided: str | None = None
    """JSON: the settings that an operator has changed, by name, each with when and who."""


class QueueSeed(NamedTuple):
    """What code says of a queue; each setting counts as long as no operator has changed it."""

    name: str
    weight: int | None = None
    max_length: int | None = None
    max_running: int | None = None
    rate: str | None = None
    retention: str | None = None
    retry: str | None = None
    cooldown: str | None = None


def ensure(seeds: Sequence[QueueSeed]) -> Operation[None]:
    """Set queues up as the code says; what operators have changed stays. Repeating it changes nothing."""
    yield Call("queue_ensure", {"queues": list(seeds)})


def settings(name: str | None = None) -> Operation[dict[str, QueueRecord]]:
    """The settings of one queue or all, by name."""
    answer = yield Call("queue_list", {"name": name}, Lane.READ)
    return {queue.name: queue for queue in records(answer["queues"], QueueRecord)}


def change(
    name: str, changes: Mapping[str, Any], *, by: str, is_decided: bool = True, seen: int | None = None
) -> Operation[bool]:
    """Change the settings that are named; a value of None takes one back. An operator has decided about them from now
    on, or, with ``is_decided`` false, no longer: then they follow the code. Repeating it changes nothing but the time.

    ``seen`` is when an operator last changed something, as the caller has read it, 0 for never: false, and nothing
    changes, when that is not so any more. With it, a repeat after a lost answer finds its own change, and is refused.
    """
    given = {"name": name, "changes": list(changes.items()), "by": by, "is_decided": int(is_decided), "seen": seen}
    answer = yield Call("queue_change", given)
    return bool(answer["changed"])


def pause(name: str, *, by: str, reason: str | None, is_paused: bool = True) -> Operation[None]:
    """Stop, or with ``is_paused`` false resume, the claiming of a queue's jobs everywhere."""
    yield Call("queue_pause", {"name": name, "by": by, "reason": reason, "is_paused": int(is_paused)})


class CounterDrift(Struct, frozen=True, array_like=True):
    """A counter of running jobs that was wrong: what it said, and how many jobs ran."""

    name: str
    counted: int | None
    """None where a limit had no counter, and so did not hold."""
    running: int


def mend_counters() -> Operation[list[CounterDrift]]:
    """Compare what limits count with the jobs that run, and count anew where they differ: a defect. Idempotent."""
    answer = yield Call("drifted_limits", {}, Lane.READ)
    if not answer["drifted"]:
        return []
    answer = yield Call("recount_limits", {})
    return records(answer["drifted"], CounterDrift)


def remove(name: str) -> Operation[bool]:
    """Remove a queue that has no jobs; false when it has some or is not there."""
    answer = yield Call("queue_delete", {"name": name})
    return bool(answer["deleted"])
