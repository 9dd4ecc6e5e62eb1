"""Retention: finds finished jobs that are no longer kept, archives and deletes them.

``prune_oldest`` reads and deletes in one call, which is the way of nearly all jobs. Where the jobs have to be read
first (for an archive), and where such a call fails, ``prunable`` reads and ``prune`` deletes what was read.

Retention has an order: by the time of finishing, then by seq. A position in it stays true while jobs come and go, so a
cleaning looks up once where it has to end, and goes on behind the last job it has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.events import remove_vanished
from windlass.store.pages import PAGE, PAGE_BYTES, Found

_STEP = 100_000
"""How many jobs one look-up walks over at the most."""


class Position(Struct, frozen=True, array_like=True, order=True):
    """A place in the order of retention."""

    finished_at: int
    seq: int


OLDEST = Position(-(2**60), 0)
NEWEST = Position(2**60, 0)


class Prunable(Found, frozen=True, array_like=True):
    """A finished job that retention lets go of."""

    fence: int
    finished_at: int

    @property
    def position(self) -> Position:
        return Position(self.finished_at, self.seq)


class Pruned(Struct, frozen=True, array_like=True):
    """What one call of ``prune_oldest`` did."""

    count: int
    finished_at: int
    seq: int
    has_more: bool

    @property
    def position(self) -> Position:
        """That of the last job it looked at."""
        return Position(self.finished_at, self.seq)


class FinishedLine(Struct, frozen=True):
    """The finished jobs of one queue in one state."""

    queue: str
    state: State


def retention_position(line: FinishedLine, *, keep: int) -> Operation[Position | None]:
    """The first job beyond the newest ``keep``, in steps that are short however many are kept; None if there is none.

    What finishes meanwhile is newer than all that was counted, so it can only keep a job that might have gone.
    """
    position, left = NEWEST, keep
    while True:
        skip = min(left, _STEP)
        params = {"queue": line.queue, "state": line.state, "at": position.finished_at, "seq": position.seq}
        answer = yield Call("retention_position", {**params, "skip": skip}, Lane.READ)
        found = records(answer["position"], Position)
        if not found:
            return None
        [position] = found
        if left == skip:
            return position
        left -= skip + 1


def prunable(
    line: FinishedLine,
    *,
    age: int,
    beyond: Position | None,
    after: Position = OLDEST,
    limit: int = PAGE,
    flows: bool = False,
    by: str | None = None,
) -> Operation[list[Prunable]]:
    """The next jobs that are older than ``age`` (milliseconds) or lie beyond a position, the oldest first.

    Those that neither waited for others nor others for them, or with ``flows`` all the other ones: those may go when
    all that hangs together with them has ended (see ``EndedFlows``). Lost ones on the way are removed.
    """
    params = _stretch(line, age=age, beyond=beyond, after=after) | {"flows": int(flows)}
    while True:
        answer = yield Call("prunable", {**params, "limit": limit}, Lane.READ)
        if not (yield from remove_vanished(answer, by=by)):
            return records(answer["jobs"], Prunable)


def prune_oldest(
    line: FinishedLine,
    *,
    age: int,
    beyond: Position | None,
    after: Position = OLDEST,
    limit: int = PAGE,
    bytes: int = PAGE_BYTES,
    by: str | None = None,
) -> Operation[Pruned | None]:
    """Remove the next jobs that are older than ``age`` (milliseconds) or lie beyond a position, the oldest first.

    None where there was none. A job that another transaction has in hand is passed by, and so is one that waited for
    others or others for it (see ``prunable``); what is left of lost ones goes.
    """
    params = _stretch(line, age=age, beyond=beyond, after=after)
    answer = yield Call("prune_oldest", {**params, "limit": limit, "bytes": bytes}, Lane.UPKEEP)
    yield from remove_vanished(answer, by=by)
    return next(iter(records(answer["pruned"], Pruned)), None)


def _stretch(line: FinishedLine, *, age: int, beyond: Position | None, after: Position) -> dict[str, Any]:
    """Which part of a line is meant."""
    end = beyond or OLDEST
    return {
        "queue": line.queue,
        "state": line.state,
        "age": age,
        "beyond_at": end.finished_at,
        "beyond_seq": end.seq,
        "after_at": after.finished_at,
        "after_seq": after.seq,
    }


def prune(line: FinishedLine, jobs: Sequence[Prunable], *, by: str | None = None) -> Operation[int]:
    """Remove finished jobs that are still as they were seen; how many. One that has finished anew stays."""
    rows = [(job.seq, job.fence, job.id, job.finished_at) for job in jobs]
    answer = yield Call("prune", {"queue": line.queue, "state": line.state, "jobs": rows})
    yield from remove_vanished(answer, by=by)
    return len(answer["pruned"])


def archive(weeks: Sequence[tuple[int, str]]) -> Operation[list[int]]:
    """Copy finished jobs into the store's archive, each under its ISO week; the seqs that are there now."""
    answer = yield Call("archive", {"weeks": list(weeks)})
    return [seq for (seq,) in answer["archived"]]
