"""Large groups in a graph: one node with counts stands for all members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.core.state import State
from windlass.store.operation import Operation
from windlass.store.operations.flows.graph import FlowLink
from windlass.store.operations.flows.groups import group_counts

MEMBERS = 20
"""A group with more members is shown as one node."""


@dataclass(frozen=True, slots=True)
class FlowGroup:
    """The members of a group, counted."""

    callback: str
    """The id of the job that gets their results."""
    total: int
    states: dict[State, int]
    """How many members are in each state; those that are gone are in none."""

    @property
    def state(self) -> State:
        """One state for all: that of the members that need attention first."""
        for state in (State.FAILED, State.RUNNING, State.RETRYING, State.PENDING, State.SCHEDULED, State.BLOCKED):
            if self.states.get(state):
                return state
        return State.CANCELLED if self.states.get(State.CANCELLED) else State.COMPLETED


@dataclass(frozen=True, slots=True)
class Folded:
    """A large group of a graph, and those of its members that its node stands for."""

    seq: int
    """Of the callback."""
    group: FlowGroup
    members: frozenset[int]


def folded_groups(asked: int, ids: Mapping[int, str], links: Sequence[FlowLink]) -> Operation[list[Folded]]:
    """The large groups of a graph. A member stays that was asked for, or for which others wait than the callback."""
    members: dict[int, set[int]] = {}
    children: dict[int, set[int]] = {}
    for link in links:
        children.setdefault(link.parent, set()).add(link.child)
        if link.is_member:
            members.setdefault(link.child, set()).add(link.parent)
    found: list[Folded] = []
    for seq, parents in members.items():
        if len(parents) > MEMBERS:
            counts = yield from group_counts(seq)
            hidden = {member for member in parents if member != asked and children[member] == {seq}}
            states = {state: number for state, number in counts.items() if state is not None}
            found.append(Folded(seq, FlowGroup(ids[seq], sum(counts.values()), states), frozenset(hidden)))
    return found
