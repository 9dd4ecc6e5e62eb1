"""The policies of a schedule, and what became of its slots."""

from __future__ import annotations

from enum import StrEnum


class CatchUp(StrEnum):
    """What happens with slots that were missed while no leader was there."""

    SKIP = "skip"
    LATEST = "latest"
    ALL = "all"


class Overlap(StrEnum):
    """What happens with a slot while the schedule's latest job has not finished."""

    ALLOW = "allow"
    SKIP = "skip"
    BUFFER = "buffer"
    """One slot is kept back until the job has finished; further ones are skipped."""


class FireOutcome(StrEnum):
    """What became of a slot, as the ledger of fires has it."""

    ON_TIME = "on_time"
    LATE = "late"
    CAUGHT_UP = "caught_up"
    BUFFERED = "buffered"
    """It is kept back until the schedule's latest job has finished."""
    SKIPPED = "skipped"
    MISSED = "missed"
    ERROR = "error"
    """No job could be made of it; that is tried again until the next slot."""


class SkipReason(StrEnum):
    """Why a slot was skipped."""

    OVERLAP = "overlap"
    UNIQUE = "unique"
    QUEUE_FULL = "queue_full"
