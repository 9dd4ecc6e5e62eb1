"""The attempts of a job that did not complete it; stores write them when a run ends, by their own clock."""

from __future__ import annotations

import msgspec
from msgspec import Struct


class Attempt(Struct, frozen=True, array_like=True):
    """One run of a job. Stores build it by position; instants are milliseconds since 1970, by the store's clock."""

    fence: int
    number: int
    """Which run it was; those that charge nothing (snoozed, released) share theirs with the next."""
    claimed_at: int | None
    started_at: int | None
    """None for a run that was lost with its worker before it was marked as started."""
    ended_at: int
    worker: str | None
    outcome: str
    """The state that the run left its job in, or ``lost`` if rescue took it from its worker."""
    reason: str | None
    delay: int | None
    """Milliseconds until the next attempt was due."""


class Attempts(Struct, frozen=True):
    """The first attempt and the newest 19, oldest first."""

    left_out: int = 0
    """How many there were between the first and the others."""
    attempts: tuple[Attempt, ...] = ()


_DECODER = msgspec.json.Decoder(tuple[int | Attempt, ...])


def read_attempts(text: str | None) -> Attempts:
    """Never raises: a text that cannot be read is no attempts.

    >>> read_attempts('[0,[7,1,1000,1002,1500,"worker-1","retrying",null,2000]]').attempts[0].outcome
    'retrying'
    """
    if text is None:
        return Attempts()
    try:
        items = _DECODER.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Attempts()
    left_out = items[0] if items and isinstance(items[0], int) else 0
    return Attempts(left_out, tuple(item for item in items if isinstance(item, Attempt)))
