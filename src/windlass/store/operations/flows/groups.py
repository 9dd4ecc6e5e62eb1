"""Groups: jobs of which another one, the callback, gets the results when all of them have ended.

The callback is the child of one edge, which leads to one of the members, the watched one. When that has ended, the edge
is moved on to the next member that has not; when there is none, the callback is released. So the endings of all other
members cost nothing, whatever a group's size, and nothing is counted that could be counted twice. Members before the
watched one have ended (for the policy ``run``) or completed (for the others) at every time: what makes one of them wait
again moves the edge back to it.
"""

from __future__ import annotations

from msgspec import Struct

from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.flows.edges import AT_ONCE, Relative, parents

MEMBERS_FROM = 2**33
"""From this place on the parents of a callback are the members of its group."""


class NewGroup(Struct, frozen=True, array_like=True, gc=False):
    """A group that is stored together with its callback; the position of each field is part of the contract."""

    callback: str
    policy: str


class NewMember(Struct, frozen=True, array_like=True, gc=False):
    """A member of a group; the position of each field is part of the statement's contract."""

    callback: str
    place: int
    """The position among the members, or among those that are added behind them."""
    member: str
    member_key: str | None
    """The unique key of the member, if it has one: if another job holds it, that one is the member."""


class Membership(Struct, frozen=True, array_like=True):
    """A group that a job belongs to."""

    seq: int
    """Of the callback."""
    callback: str
    """Its id."""
    task: str
    size: int
    """How many members the group has."""


def members(seq: int, *, after: int = -1, limit: int = AT_ONCE) -> Operation[list[Relative]]:
    """The members of the group whose callback has this number, in order; one page."""
    return (yield from parents(seq, after=max(after, MEMBERS_FROM - 1), limit=limit))


def groups_of(seq: int) -> Operation[list[Membership]]:
    """The groups that a job belongs to: nearly always none or one."""
    answer = yield Call("groups_of", {"seq": seq}, Lane.READ)
    return records(answer["groups"], Membership)


def group_counts(seq: int) -> Operation[dict[State | None, int]]:
    """How many members of a group are in which state; None for those that are gone."""
    answer = yield Call("group_counts", {"seq": seq}, Lane.READ)
    return {None if state is None else State(state): number for state, number in answer["counts"]}
