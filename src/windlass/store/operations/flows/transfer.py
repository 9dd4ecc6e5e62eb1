"""Reads edges out of one store and writes them into another, where the jobs have other numbers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

_AT_ONCE = 1000


class MovedEdge(Struct, frozen=True, array_like=True):
    """An edge, with its child by number and its parent by id."""

    child: int
    place: int
    parent: str | None
    """None for a parent that is gone."""
    queue: str | None
    """Of the parent."""
    policy: str
    is_open: bool
    """Whether the child waits for the parent."""


def edges_into(seqs: Sequence[int]) -> Operation[list[MovedEdge]]:
    """The edges of jobs to those that they wait, or waited, for, in order, in pages."""
    found: list[MovedEdge] = []
    left = sorted(seqs)
    after = (0, -1)
    while left:
        params = {"seqs": left, "after_child": after[0], "after_place": after[1], "limit": _AT_ONCE}
        answer = yield Call("moved_edges", params, Lane.READ)
        page = records(answer["edges"], MovedEdge)
        found += page
        if len(page) < _AT_ONCE:
            break
        after = (page[-1].child, page[-1].place)
        left = [seq for seq in left if seq >= after[0]]
    return found


def import_edges(edges: Sequence[tuple[str, MovedEdge]]) -> Operation[None]:
    """Store edges, each with the id of its child; what is there stays. Those of a child come in order."""
    rows = [(child, edge.place, edge.parent, None, edge.policy, edge.is_open) for child, edge in edges]
    for first in range(0, len(rows), _AT_ONCE):
        yield Call("import_edges", {"edges": rows[first : first + _AT_ONCE]})
