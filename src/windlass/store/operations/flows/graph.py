"""Walks along edges: what hangs together with a job, and what lies downstream of it.

A walk is one call of the store that is bounded by the number of jobs, never by depth: no call for each level, and no
recursion here. What a walk leaves out is found by the next one, from the children of what it has found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from windlass.core.state import FINISHED, State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations import jobs as operations

WALKED_AT_ONCE = 10_000
"""How many jobs one walk finds at the most."""
_AT_ONCE = 1000
_ROOTS = 500


class Walked(Struct, frozen=True, array_like=True):
    """A job that a walk has found."""

    seq: int
    state: State | None
    """None for a job that is gone."""


class FlowJob(Struct, frozen=True, array_like=True):
    """What a graph shows of a job."""

    seq: int
    id: str
    task: str
    queue: str
    state: State
    reason: str | None


class FlowLink(Struct, frozen=True, array_like=True):
    """An edge between two jobs."""

    parent: int
    child: int
    is_open: bool
    """Whether the child waits for the parent."""
    is_member: bool = False
    """Whether the child is the callback of a group, and the parent a member of it."""


def walk(
    seqs: Sequence[int], *, down: bool = False, limit: int = WALKED_AT_ONCE, members: int = WALKED_AT_ONCE
) -> Operation[list[Walked]]:
    """What hangs together with these jobs, the nearest first, these included; ``down``: only what lies downstream.

    ``members`` is how many members of each group are found from its callback: the first ones.
    """
    params = {"seqs": list(seqs), "down": int(down), "limit": limit, "members": members}
    answer = yield Call("flow_walk", params, Lane.READ)
    return records(answer["walked"], Walked)


def graph(seqs: Sequence[int], *, most: int) -> Operation[tuple[list[FlowJob], list[FlowLink]]]:
    """These jobs, without those that are gone, and the edges between them, at most so many."""
    answer = yield Call("flow_graph", {"seqs": list(seqs), "most": most}, Lane.READ)
    return records(answer["jobs"], FlowJob), records(answer["edges"], FlowLink)


def cancel_downstream(seq: int, *, by: str, reason: str | None = None, at_once: int = WALKED_AT_ONCE) -> Operation[int]:
    """Cancel a job and all that waits, or waited, for it, however deep; how many jobs that changed.

    In pages, the last jobs first: none is to begin because the one before it has ended. Repeated, it goes on with what
    has not ended. ``at_once`` is how many jobs one walk finds.
    """
    changed = 0
    found: set[int] = set()
    roots = [seq]
    while roots:
        begin, roots = roots[:_ROOTS], roots[_ROOTS:]
        walked = yield from walk(begin, down=True, limit=at_once + len(begin))
        alive = [job.seq for job in walked if job.seq not in found and job.state not in (*FINISHED, None)]
        found.update(job.seq for job in walked)
        changed += yield from _cancel(list(reversed(alive)), by=by, reason=reason)
        if len(walked) >= at_once + len(begin):
            beyond = yield from _beyond([job.seq for job in walked], found)
            roots = list(dict.fromkeys([*(root for root in roots if root not in found), *beyond]))
        else:
            roots = [root for root in roots if root not in found]
    return changed


def _cancel(seqs: Sequence[int], *, by: str, reason: str | None) -> Operation[int]:
    changed = 0
    for first in range(0, len(seqs), _AT_ONCE):
        changed += len((yield from operations.cancel(seqs[first : first + _AT_ONCE], by=by, reason=reason)))
    return changed


def _beyond(seqs: Iterable[int], found: Collection[int]) -> Operation[list[int]]:
    """The children of these jobs that no walk has found."""
    every = sorted(seqs)
    beyond: dict[int, None] = {}
    for first in range(0, len(every), _AT_ONCE):
        page, after = every[first : first + _AT_ONCE], (0, 0)
        while True:
            params = {"seqs": page, "after_parent": after[0], "after_child": after[1], "limit": _AT_ONCE}
            answer = yield Call("flow_children", params, Lane.READ)
            edges = [(parent, child) for parent, child in answer["edges"]]
            beyond.update((child, None) for _, child in edges if child not in found)
            if len(edges) < _AT_ONCE:
                break
            after = edges[-1]
            page = [seq for seq in page if seq >= after[0]]
    return list(beyond)
