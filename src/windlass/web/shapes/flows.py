"""Graphs of jobs that wait for each other."""

from __future__ import annotations

from msgspec import Struct

from windlass.core.state import State


class FlowGroup(Struct, frozen=True):
    """The members of a group, counted."""

    callback: str
    """The id of the job that gets their results."""
    total: int
    states: dict[State, int]


class FlowNode(Struct, frozen=True):
    """A job in a graph, or a group with more than 20 members."""

    id: str
    task: str
    queue: str
    state: State
    reason: str | None
    group: FlowGroup | None


class FlowEdge(Struct, frozen=True):
    """The child waits, or waited, for the parent; both are ids."""

    parent: str
    child: str
    is_open: bool
    """Whether it still waits."""


class Flow(Struct, frozen=True):
    """All jobs that hang together with one."""

    job: str
    nodes: list[FlowNode]
    """Parents before their children; the nearest 1,000."""
    edges: list[FlowEdge]
    left_out: int
    """How many jobs are not among the nodes; 9,000 stands for that many or more."""
    truncated: bool
