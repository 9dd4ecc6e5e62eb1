"""The outcome of an attempt, before its ending is decided.

Tagged, because an attempt in a child process sends it over a pipe.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from windlass.core.fault import Fault


class Returned(Struct, frozen=True, gc=False, tag=True):
    """The task returned; ``result`` is already encoded."""

    result: str | None
    log: str | None = None
    """What it had logged, if its task keeps that."""


class Raised(Struct, frozen=True, tag=True):
    """The task raised: one failed attempt."""

    fault: Fault
    delay: int | None = None
    """Milliseconds that the task itself asked for; overrides the retry rule."""
    is_timeout: bool = False


class FailedPermanently(Struct, frozen=True, tag=True):
    """The job fails without a retry; ``reason`` says why (permanent, undecodable, result)."""

    fault: Fault
    reason: str
    is_run: bool = True
    """Whether user code ran, so that the attempt counts."""


class Throttle(Struct, frozen=True):
    """What a task says when the service behind it said "too many"."""

    text: str
    limit: str | None = None
    """The named limit that cools down."""
    scope: str | None = None
    """Without a limit: ``task`` or ``queue``; None for what is usual."""
    retry_after: int | None = None
    """Milliseconds, if the service said so."""


class Postponed(Struct, frozen=True, tag=True):
    """Not now: the task snoozed, was throttled, or is unknown here; nothing is charged."""

    delay: int
    reason: str | None = None
    throttle: Throttle | None = None


def token_reason(limit: str) -> str:
    """Why a job is postponed that waits for a token of a named limit."""
    return f"limit:{limit}"


def limit_of_reason(reason: str | None) -> str | None:
    """
    >>> limit_of_reason(token_reason("github")), limit_of_reason("throttled")
    ('github', None)
    """
    kind, _, limit = (reason or "").partition(":")
    return limit if kind == "limit" else None


class Interrupted(Struct, frozen=True, tag=True):
    """Stopped from outside, or never started: released at once, uncharged, unless it may run only once."""

    fault: Fault | None = None
    """What the history says if the job may run only once and had begun."""


class Cancelled(Struct, frozen=True, tag=True):
    """The task raised ``Cancel``, or stopped after a cancel request; or it was too late to start (``expired``)."""

    reason: str | None = None
    is_run: bool = True
    """Whether user code ran, so that the attempt counts."""


EXPIRED = Cancelled("expired", is_run=False)
"""It was claimed too late to start."""


class StopReason(Enum):
    """Why a run is asked to stop."""

    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    SHUTDOWN = "given up"
    """The worker shuts down: the job goes back uncharged."""
    LOST = "lost"
    """The lease is lost: the job belongs or will belong to another worker; the result of this run is dropped."""


class Blame(Enum):
    """Which run is charged when a process dies (see *Suspects* in docs/how-it-works.md)."""

    OWN = "own"
    """This run: nothing else can be the cause."""
    SUSPECTED = "suspected"
    """This run, because it died with its process before; but others that ran beside it may be the cause."""
    JOINT = "joint"
    """This run or another suspect that was in flight beside it."""
    SHARED = "shared"
    """No run stands out: every one that had begun is charged."""
    OTHER = "other"
    """Another run of the same process."""


class Lost(Struct, frozen=True, tag=True):
    """Its process died, or its lease expired; ``was_started`` says whether user code had begun."""

    was_started: bool
    fault: Fault
    blame: Blame = Blame.OWN


Outcome = Returned | Raised | FailedPermanently | Postponed | Interrupted | Cancelled | Lost
