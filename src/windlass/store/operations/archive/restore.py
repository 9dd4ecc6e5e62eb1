"""Puts an archived job back."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from windlass.clock import instant_or_none, iso
from windlass.core.records import JobRecord
from windlass.store.operation import Call, Operation
from windlass.store.operations.queues import QueueSeed, ensure
from windlass.store.operations.steps.steps import StepRecord

RESTORED = "restored"
"""The kind of the event that tells of it; its detail has the ``finished_at`` of before."""


class Refusal(StrEnum):
    """Why a job was not restored."""

    TAKEN = "taken"
    """There is a job with its id."""
    GONE = "gone"
    """The archive does not have it any more."""


def restore(record: JobRecord, steps: Sequence[StepRecord], *, week: str | None, by: str) -> Operation[Refusal | None]:
    """Store a finished job as it was, under a new seq, and take it out of the store's own archive, where it lies under
    ``week``; None for an archive elsewhere. Its end is now, by the clock of the store.

    Repeated after a lost reply it is refused.
    """
    yield from ensure([QueueSeed(record.queue)])
    params = {
        "id": record.id,
        "week": week,
        "archived": record.seq,
        "jobs": [record],
        "steps": list(steps),
        "fence": record.fence,
        "detail": msgspec.json.encode({"by": by, "finished_at": iso(instant_or_none(record.finished_at))}).decode(),
    }
    answer = yield Call("restore", params)
    refused = answer.get("refused") or []
    return Refusal(refused[0][0]) if refused else None
