"""Edges: which job waits for which.

A child is blocked until all of its edges are settled. Whatever ends a parent settles its edges in the same call, as
far as it sees them. What such a call cannot settle, and children of children that were cancelled, is left to promote.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

AT_ONCE = 1000
"""How many relatives one page has."""


class Policy(StrEnum):
    """What becomes of a child when a parent ends without completing: fails, is cancelled, or is deleted."""

    CANCEL = "cancel"
    """It is cancelled, with the reason ``dependency``."""
    RUN = "run"
    """It runs as if the parent had completed."""
    WAIT = "wait"
    """It stays blocked until the parent was retried and has completed, or a person decides."""


class NewEdge(Struct, frozen=True, array_like=True, gc=False):
    """An edge to be stored together with its child; the position of each field is part of the statement's contract."""

    child: str
    place: int
    """The position among the child's parents."""
    parent: str
    parent_key: str | None
    """The unique key of a parent that is stored by the same call: if another job holds it, that one is the parent."""
    policy: str


class Relative(Struct, frozen=True, array_like=True):
    """A parent or a child of a job."""

    place: int
    """By which relatives are ordered: that of a parent among the others, the number of a child."""
    seq: int
    id: str | None
    """None for a job that is gone."""
    task: str | None
    state: State | None
    is_open: bool
    """Whether the child waits for the parent."""


def parents(seq: int, *, after: int = -1, limit: int = AT_ONCE) -> Operation[list[Relative]]:
    """The jobs that a job waits, or waited, for, in the order in which they were named; one page."""
    answer = yield Call("parents", {"seq": seq, "after": after, "limit": limit}, Lane.READ)
    return records(answer["relatives"], Relative)


def children(seq: int, *, after: int = -1, limit: int = AT_ONCE) -> Operation[list[Relative]]:
    """The jobs that wait, or waited, for a job, in the order in which they were stored; one page."""
    answer = yield Call("children", {"seq": seq, "after": after, "limit": limit}, Lane.READ)
    return records(answer["relatives"], Relative)
