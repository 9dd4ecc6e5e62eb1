"""Jobs that were made, run or have ended lately, as they are now."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation


class Sighting(Struct, frozen=True, array_like=True):
    """A job as it was at the moment of the read, without its texts."""

    part: str
    """Why it was looked at: created, running, ended or watched."""
    seq: int
    id: str
    task: str
    queue: str
    state: State
    reason: str | None
    fence: int
    attempt: int
    max_attempts: int
    worker: str | None
    created_at: int
    started_at: int | None
    finished_at: int | None


class Sightings(Struct, frozen=True):
    """What one read has seen; a job may be in it several times."""

    now: int
    """The store's clock."""
    newest: int
    """The seq of the newest job; 0 without jobs."""
    jobs: list[Sighting]


def sightings(
    *, after: int, since: int, watched: Sequence[int], most: int, most_ended: int, most_running: int
) -> Operation[Sightings]:
    """Jobs with a ``seq`` above ``after``, those that ended at ``since`` or later, those that run, and those of
    ``watched``.

    Of the first the newest ``most``, of the second the newest ``most_ended`` of each queue and state. Each part goes by
    an index, whatever else the store holds.
    """
    params = {
        "after": after,
        "since": since,
        "watched": list(watched),
        "most": most,
        "most_ended": most_ended,
        "most_running": most_running,
    }
    answer = yield Call("sightings", params, Lane.READ)
    now, newest = answer["clock"][0]
    return Sightings(int(now), int(newest or 0), records(answer["jobs"], Sighting))
