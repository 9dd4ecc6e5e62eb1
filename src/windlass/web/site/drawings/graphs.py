"""Draws the graph around a job: parents to the left of their children, with the state of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.insight.flows.graph import FlowGraph

_WIDTH, _HEIGHT = 204, 34
"""Width and height of a job, in pixels."""
_APART, _BELOW = 36, 12
_MOST = 60
"""How many jobs are drawn at the most: a larger graph cannot be read."""
_LONGEST = 22


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    """Of the job; that of its callback for a group."""
    name: str
    """Shortened in the middle, where it is long."""
    whole_name: str
    state: str
    x: int
    y: int
    is_here: bool


@dataclass(frozen=True, slots=True)
class Link:
    path: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    nodes: Sequence[Node]
    links: Sequence[Link]
    width: int
    height: int
    node_width: int = _WIDTH
    node_height: int = _HEIGHT


def draw_graph(graph: FlowGraph) -> GraphDrawing | None:
    """None for a job alone, and for a graph that is too large to be drawn."""
    if not 1 < len(graph.nodes) <= _MOST or graph.truncated:
        return None
    depths = _depths(graph)
    filled: dict[int, int] = {}
    nodes = {}
    for node in sorted(graph.nodes, key=lambda node: depths[node.id]):
        column = depths[node.id]
        row = filled.get(column, 0)
        filled[column] = row + 1
        x, y = column * (_WIDTH + _APART), row * (_HEIGHT + _BELOW)
        job = node.id if node.group is None else node.group.callback
        nodes[node.id] = Node(job, shortened(node.name), node.name, str(node.state), x, y, node.id == graph.job)
    known = [edge for edge in graph.edges if edge.parent in nodes and edge.child in nodes]
    return GraphDrawing(
        nodes=list(nodes.values()),
        links=[Link(_curve(nodes[edge.parent], nodes[edge.child]), edge.is_open) for edge in known],
        width=(max(depths.values()) + 1) * (_WIDTH + _APART) - _APART,
        height=max(filled.values()) * (_HEIGHT + _BELOW) - _BELOW,
    )


def shortened(name: str) -> str:
    """
    >>> shortened("mail.send"), shortened("billing.capture_payment_of_the_whole_order")
    ('mail.send', 'billing.cap…hole_order')
    """
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[:half]}…{name[1 - half :]}"


def _depths(graph: FlowGraph) -> Mapping[str, int]:
    """How many jobs at the most come before each; there are no cycles."""
    depths = {node.id: 0 for node in graph.nodes}
    for _ in depths:
        deeper = {
            edge.child: depths[edge.parent] + 1
            for edge in graph.edges
            if edge.parent in depths and edge.child in depths and depths[edge.child] <= depths[edge.parent]
        }
        if not deeper:
            break
        depths.update(deeper)
    return depths


def _curve(parent: Node, child: Node) -> str:
    x1, y1 = parent.x + _WIDTH, parent.y + _HEIGHT // 2
    x2, y2 = child.x, child.y + _HEIGHT // 2
    middle = (x1 + x2) // 2
    return f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}"
