"""Removes old events, keys and leftovers, a bounded part at a time."""

from __future__ import annotations

from windlass.core.unique import cached_keys
from windlass.store.operation import Answer, Call, Lane, Operation
from windlass.store.operations.access.audit import KEPT_FOR, MOST_ENTRIES
from windlass.store.operations.alerts import alerts

AT_ONCE = 1000
"""How many of each kind one call removes at the most; fewer after a call that was too much for the store."""

KEYS_EXAMINED = 5000
"""How many unique keys one call looks at."""

CACHED_PER_TASK = 10_000
"""How many results of a task are cached at the most."""
CACHED_IN_ALL = 50_000
CACHED_BYTES = 256 * 1024 * 1024
"""How many bytes all cached results have at the most."""

TOKENS_GONE_FOR = 90 * 86_400_000
"""Milliseconds for which a token that was revoked or has expired is still listed."""

FIRST_KEY = ""
"""Where the walk through all unique keys begins."""


def tidy_events(*, limit: int = AT_ONCE) -> Operation[bool]:
    """Remove events that are too old or too many; whether there may be more of them."""
    answer = yield Call("tidy_events", {"limit": limit})
    return _is_full(answer, limit)


def tidy_leftovers(*, limit: int = AT_ONCE) -> Operation[bool]:
    """Remove workers and leases that have been gone for a day; whether there may be more of them."""
    answer = yield Call("tidy_leftovers", {"limit": limit})
    return _is_full(answer, limit)


def tidy_access(*, most: int = MOST_ENTRIES, limit: int = AT_ONCE) -> Operation[bool]:
    """Remove tokens that have been gone for long, and audit entries that are too old or too many; whether there may be
    more of them.
    """
    params = {"gone_for": TOKENS_GONE_FOR, "kept_for": KEPT_FOR, "most": most, "limit": limit}
    answer = yield Call("tidy_access", params)
    return _is_full(answer, limit)


def tidy_alerts(
    *,
    most_alerts: int = alerts.MOST_ALERTS,
    most_deliveries: int = alerts.MOST_DELIVERIES,
    limit: int = AT_ONCE,
) -> Operation[bool]:
    """Remove alerts that were resolved long ago, deliveries that were settled long ago, and the oldest where there are
    too many, and mutes that are over; whether there may be more of them.
    """
    params = {
        "kept_for": alerts.KEPT_FOR,
        "most_alerts": most_alerts,
        "most_deliveries": most_deliveries,
        "limit": limit,
    }
    answer = yield Call("tidy_alerts", params)
    return _is_full(answer, limit)


def tidy_windows(*, limit: int = AT_ONCE) -> Operation[bool]:
    """Remove unique keys whose window has passed; whether there may be more of them."""
    answer = yield Call("tidy_keys", {"keys": [], "limit": limit})
    return _is_full(answer, limit)


def tidy_cache(
    *,
    per_task: int = CACHED_PER_TASK,
    in_all: int = CACHED_IN_ALL,
    bytes: int = CACHED_BYTES,
    limit: int = AT_ONCE,
) -> Operation[bool]:
    """Let go of the oldest cached results where there are too many; whether there may be more of them."""
    params = {"per_task": per_task, "in_all": in_all, "bytes": bytes, "limit": limit}
    answer = yield Call("tidy_cache", params)
    return _is_full(answer, limit)


def clear_cache(task: str) -> Operation[int]:
    """Let go of all cached results of a task, and of those that its unfinished jobs would make; how many.

    Repeated after no reply, it goes on with the next.
    """
    first, behind = cached_keys(task)
    total = 0
    while True:
        answer = yield Call("clear_cache", {"task": task, "first": first, "behind": behind, "limit": AT_ONCE})
        total += len(answer["cleared"])
        if len(answer["cleared"]) < AT_ONCE:
            return total


def tidy_keys(after: str, *, limit: int = KEYS_EXAMINED) -> Operation[str | None]:
    """Remove unique keys whose job is gone, among the next behind ``after``; where to go on, None at the end."""
    answer = yield Call("orphan_keys", {"after": after, "limit": limit}, Lane.READ)
    free = [tuple(row) for row in answer["keys"]]
    if free:
        yield Call("tidy_keys", {"keys": free, "limit": AT_ONCE})
    [(examined, last)] = answer["examined"]
    return str(last) if examined == limit else None


def _is_full(answer: Answer, limit: int) -> bool:
    return any(len(part) >= limit for part in answer.values())
