"""Types of what is asked and answered."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from windlass.core.state import State
from windlass.web.shapes.jobs import JobSummary, Limit, Text


class EndedBetween(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where to look: files, and the archive of Redis, are searched from job to job."""

    since: Text | UnsetType = UNSET
    """Finished since: an instant with its zone, or how long ago, as in ``30d``."""
    until: Text | UnsetType = UNSET
    """Finished before."""


class ArchiveQuery(EndedBetween, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which archived jobs, and which page of them."""

    task: Text | UnsetType = UNSET
    queue: Text | UnsetType = UNSET
    state: State | UnsetType = UNSET
    limit: Limit = 50
    cursor: str | UnsetType = UNSET


class ArchivedJobs(Struct, frozen=True):
    """A page of archived jobs, the newest weeks first."""

    jobs: list[JobSummary]
    next: str | None
    """The cursor of the next page; null on the last one. A page may be short, or empty, and still have a next one."""
    damaged: int
    """How many jobs, and parts of files, could not be read."""


class Restored(Struct, frozen=True):
    """A job that is in the store again."""

    id: str
    state: State
    queue: str
