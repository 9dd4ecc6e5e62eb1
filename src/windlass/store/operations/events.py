"""Records events of jobs and of the store, and removes the traces of jobs whose data has vanished."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from windlass.errors import StoreUnavailable
from windlass.store.answers import records
from windlass.store.operation import Answer, Call, Lane, Operation

log = logging.getLogger("windlass.store")


def record_store_events(kind: str, rows: Sequence[tuple[str, str]], *, lane: Lane = Lane.WRITE) -> Operation[None]:
    """Write rows (worker, details as JSON text), all of one kind."""
    yield Call("record_store_events", {"kind": kind, "events": list(rows)}, lane)


class VanishedJob(Struct, frozen=True, array_like=True):
    """A job of which only the traces were met."""

    seq: int
    queue: str | None
    """None where it is not known any more."""
    was: str
    """The state in which it vanished."""


def remove_vanished(answer: Answer, *, by: str | None) -> Operation[int]:
    """Remove what is left of the vanished jobs that a call has met, and leave a notice of each; how many there were."""
    met: Any = answer.get("vanished")
    if not met:
        return 0
    try:
        noticed = (yield Call("remove_vanished", {"vanished": met, "by": by}))["noticed"]
    except StoreUnavailable as error:  # must not pass for a failure of the call before, which has been carried out
        log.info("could not leave a notice of vanished jobs in the store: %s", error)
        _say(records(met, VanishedJob))
        return 0
    if noticed:
        _say(records(noticed, VanishedJob))
    return len(noticed)


def _say(vanished: list[VanishedJob]) -> None:
    where = Counter(f"{job.was} in queue {job.queue}" if job.queue else job.was for job in vanished)
    log.error(
        "the data of %s is gone from the store, deleted by hand or thrown away by the server (%s); what was left was "
        "removed",
        "a job" if len(vanished) == 1 else f"{len(vanished)} jobs",
        ", ".join(f"{count} {place}" for place, count in where.most_common(5)),
    )


def record_stale_writes(writes: Sequence[tuple[int, int, str]], *, worker: str) -> Operation[Collection[int]]:
    """Leave an event for each (seq, fence, what) that was refused because of its fence; the seqs of those."""
    answer = yield Call("record_stale_writes", {"writes": list(writes), "worker": worker})
    yield from remove_vanished(answer, by=worker)
    return {seq for (seq,) in answer["refused"]}


def record_job_events(events: Sequence[tuple[int, int, str, Mapping[str, object]]], *, worker: str) -> Operation[None]:
    """Leave an event (seq, fence, kind, detail) with each job that is still there."""
    rows = [(seq, fence, kind, msgspec.json.encode(detail).decode()) for seq, fence, kind, detail in events]
    yield Call("record_job_events", {"events": rows, "worker": worker})
