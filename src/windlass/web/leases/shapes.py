"""What the leases take and give, as types."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

Span = str | float
"""Seconds, or a text as in ``90s``, ``10m``."""

Fence = Annotated[int, Meta(ge=0, le=2**53)]

MOST_JOBS = 64
LONGEST_WAIT = 30


class LeaseOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """What to claim."""

    queues: Annotated[list[str], Meta(max_length=100)] = []
    """Those named first come first; none: the queues of the token, or else all that the server's app names."""
    limit: Annotated[int, Meta(ge=1, le=MOST_JOBS)] = 1
    lease: Span = "5m"
    """How long a job stays with its worker, unless it is extended."""
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0
    """Seconds to wait for a job where there is none."""
    worker: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    """A name for people, in lists and timelines; the name of the token by default."""
    claim_id: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{8,64}$")] | None = None
    """Repeat a claim whose answer was lost with the same id and limit, and the same jobs come back."""


class LeasedJob(Struct, frozen=True):
    """A job that is the caller's until ``expires_at``."""

    id: str
    task: str
    queue: str
    priority: int
    attempt: int
    max_attempts: int
    fence: int
    """Sent with everything that is written; a greater one means that another worker has the job."""
    args: list[Any]
    """In the payload format."""
    kwargs: dict[str, Any]
    meta: dict[str, Any]
    correlation_id: str
    timeout: float | None
    """Seconds that a run may take."""
    created_at: datetime
    expires_at: datetime
    cancel_requested: bool


class LeasedJobs(Struct, frozen=True):
    """The jobs that were claimed; none when the time to wait is over."""

    jobs: list[LeasedJob]


class LeaseState(Struct, frozen=True):
    """A job that is still the caller's."""

    id: str
    expires_at: datetime
    cancel_requested: bool
    """Whether it is to stop: end it with ``release`` or ``discard``."""


class Extension(Struct, frozen=True, forbid_unknown_fields=True):
    """How long a job is kept, from now on."""

    fence: Fence
    lease: Span = "5m"


class ProgressReport(Struct, frozen=True, forbid_unknown_fields=True):
    """How far it is."""

    fence: Fence
    value: Annotated[float, Meta(ge=0, le=1)] | None = None
    text: Annotated[str, Meta(max_length=1000)] | None = None


class Completion(Struct, frozen=True, forbid_unknown_fields=True):
    """That the job has completed."""

    fence: Fence
    result: Any = None


class Failure(Struct, frozen=True, forbid_unknown_fields=True):
    """That an attempt has failed."""

    fence: Fence
    error: Annotated[str, Meta(max_length=65_536)]
    delay: Span | None = None
    """Until the next attempt, in place of what the retry rule says."""


class Discard(Struct, frozen=True, forbid_unknown_fields=True):
    """That the job has failed for good."""

    fence: Fence
    error: Annotated[str, Meta(max_length=65_536)]


class Release(Struct, frozen=True, forbid_unknown_fields=True):
    """That the job goes back, uncharged."""

    fence: Fence
