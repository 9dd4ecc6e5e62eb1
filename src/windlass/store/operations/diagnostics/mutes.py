"""Mutes causes of failures: they stay where they are, and alerts do not count them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

MOST_MUTES = 200
"""So many causes are muted at once; workers read all of them every second."""


class MuteRecord(Struct, frozen=True, array_like=True):
    """A cause that is muted."""

    cause: str
    """The fingerprint of the error (``core/fault/cause.py``)."""
    muted_at: int
    muted_by: str
    reason: str
    ends_at: int | None
    """None for one that lasts until the next deploy."""


def mute(
    cause: str, *, lasts: int | None, reason: str, by: str, most: int = MOST_MUTES
) -> Operation[MuteRecord | None]:
    """Mute a cause for so many milliseconds, or with None until the next deploy; in the place of an earlier mute.

    None, and nothing is changed, if there are too many. A repeat after no reply begins the same mute anew.
    """
    params = {"cause": cause, "lasts": lasts, "reason": reason, "by": by, "most": most}
    answer = yield Call("mute", params)
    saved = records(answer["muted"], MuteRecord)
    return saved[0] if saved else None


def unmute(causes: Sequence[str], *, before: int | None = None) -> Operation[list[str]]:
    """End mutes, or only those that began before an instant; the causes of those that there were. A repeat changes
    nothing.
    """
    answer = yield Call("unmute", {"causes": list(causes), "before": before})
    return sorted(cause for (cause,) in answer["unmuted"])


def mutes() -> Operation[list[MuteRecord]]:
    """The mutes that last, the oldest first."""
    answer = yield Call("mutes", {}, Lane.READ)
    return records(answer["mutes"], MuteRecord)
