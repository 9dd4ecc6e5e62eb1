"""The columns of a job, as the store returns them.

Records are decoded straight from the store's answer, so their field order is the column order of the statements.
Instants are milliseconds since 1970 (UTC), lengths of time are milliseconds.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from windlass.core.state import State

FOREVER = 36_500 * 24 * 3600 * 1000
"""Milliseconds; a job that waits for an event without a limit of time is due after a hundred years."""


class HeldJob(Protocol):
    """What must be known of a running job to decide how it ends."""

    @property
    def seq(self) -> int: ...
    @property
    def fence(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def max_attempts(self) -> int: ...
    @property
    def crashes(self) -> int: ...
    @property
    def rescues(self) -> int: ...
    @property
    def errors(self) -> str | None: ...
    @property
    def unique_key(self) -> str | None: ...
    @property
    def concurrency_key(self) -> str | None: ...
    @property
    def is_charged(self) -> bool: ...


class Claimed(Struct, frozen=True, array_like=True, gc=False):
    """A job that was just claimed: enough to run it and to end it."""

    seq: int
    id: str
    task: str
    queue: str
    priority: int
    payload: str
    meta: str | None
    attempt: int
    max_attempts: int
    crashes: int
    rescues: int
    fence: int
    timeout: int | None
    created_at: int
    wants_cancel: bool
    unique_key: str | None
    errors: str | None
    retry: str | None
    unknown_for: int | None
    expires_in: int | None = None
    """In how many milliseconds, from the claim on, it is too late to start it; None if that is never."""
    concurrency_key: str | None = None
    rate_key: str | None = None
    waited: int = 0
    """For how many milliseconds it could have been claimed before, had nothing stood before it."""
    is_charged: bool = False
    """The last one: a cycle, which charges no run, leaves it out."""


class Expired(Struct, frozen=True, array_like=True, gc=False):
    """A running job whose lease has expired: enough to decide where it goes."""

    seq: int
    fence: int
    attempt: int
    max_attempts: int
    crashes: int
    rescues: int
    errors: str | None
    unique_key: str | None
    concurrency_key: str | None
    is_charged: bool
    was_started: bool
    lease: str | None
    worker: str | None
    ran_for: int | None = None
    """For how many milliseconds user code may have run, at the most: until the lease expired."""
    blamed: int | None = None
    """The seq of the job that an earlier page of this rescue held responsible for the loss of the lease."""


class StartedSuspect(Struct, frozen=True, array_like=True, gc=False):
    """A suspect that had begun under a lease that has expired."""

    lease: str
    seq: int
    ran_for: int
    """For how many milliseconds user code ran, at the least: until the lease was last renewed. Below zero if it began
    after that.
    """
    fatal_run: int | None
    """For how many milliseconds the run may have lasted that died before it, if that had begun."""
    has_company: bool
    """Whether the lease holds other jobs that may have begun."""


class JobRecord(Struct, frozen=True, array_like=True):
    """Everything that the store has about one job."""

    seq: int
    id: str
    task: str
    queue: str
    state: State
    reason: str | None
    priority: int
    payload: str
    meta: str | None
    attempt: int
    max_attempts: int
    crashes: int
    rescues: int
    run_at: int
    created_at: int
    promoted_at: int | None
    claimed_at: int | None
    started_at: int | None
    finished_at: int | None
    timeout: int | None
    fence: int
    lease: str | None
    worker: str | None
    cancel_requested_at: int | None
    unique_key: str | None
    concurrency_key: str | None
    """The task and the key, a line each (``core/limits/concurrency.py``)."""
    progress: str | None
    result: str | None
    errors: str | None
    retry: str | None
    unknown_at: int | None
    tags: str | None = None
    attempts: str | None = None
    """Those that did not complete the job (``core/fault/attempts.py``)."""
    expires: int | None = None
    """How long after ``run_at`` its first attempt may start."""
    start_by: int | None = None
    """When it is too late to start it; None after a start, once it waits again."""
    rate_key: str | None = None
    """The task and the key (``core/rates/key.py``)."""
    cause: str | None = None
    """The fingerprint of the error, of a failed job (``core/fault/cause.py``); earlier releases did not keep it."""

    @property
    def is_manual_claim(self) -> bool:
        """Whether its lease is that of a manual claim, which is named token:seq:fence; a worker's has no colon."""
        return ":" in (self.lease or "")

    @property
    def is_never_due(self) -> bool:
        """Whether it waits for an event for as long as it takes: ``run_at`` means nothing."""
        waits = self.state is State.SCHEDULED and self.reason == "event"
        return waits and self.run_at - self.created_at >= FOREVER // 2

    @property
    def is_charged(self) -> bool:
        """Whether its run was charged when it was claimed."""
        return self.state is State.RUNNING and self.is_manual_claim
