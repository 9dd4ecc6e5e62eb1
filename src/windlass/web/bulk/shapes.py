"""What the routes of changes of many jobs take and give."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from windlass.core.state import State
from windlass.web.bulk.change import BulkState
from windlass.web.bulk.order import MOST_IDS, BulkAction
from windlass.web.shapes.jobs import JobFilters, Text


class BulkFilters(JobFilters, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs are meant; what is left out does not matter."""

    state: State | UnsetType = UNSET
    """Without it: failed and cancelled jobs are retried, those that wait or run cancelled, all but running deleted."""
    running_for: Text | UnsetType = UNSET


class BulkBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs: ``ids``, or a ``filter``, empty for all."""

    ids: Annotated[list[str], Meta(min_length=1, max_length=MOST_IDS)] | UnsetType = UNSET
    filter: BulkFilters | UnsetType = UNSET
    id: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")] | UnsetType = UNSET
    """The id of the change: the same one twice is one change, also after a request that was not answered."""


class BulkRetry(BulkBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs to run again, and how."""

    to_queue: str | None = None
    rate: str | None = None
    """As in ``20/s``: they are scheduled that far apart."""


class BulkCancel(BulkBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs to cancel, and why."""

    reason: str | None = None
    """Kept in the timeline of each."""


class BulkStatus(Struct, frozen=True):
    """A change of many jobs."""

    id: str
    action: BulkAction
    state: BulkState
    by: str
    begun_at: datetime
    ended_at: datetime | None
    meant: int | str
    """How many jobs there were when it began, exact up to 1,000; then ``1000+``."""
    changed: int
    """How many were changed so far."""
    error: str | None
    """Why it failed."""
    errors: dict[str, str]
    """By id, of jobs that were named: why one was not changed; the first twenty."""


class BulkList(Struct, frozen=True):
    """The changes of the process that answers, the newest first."""

    changes: list[BulkStatus]
