"""A graph of jobs as a tree: those that wait below those that they wait for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.views.message import jobs_counted
from windlass.cli.views.style import state_cell
from windlass.insight import json_forms
from windlass.insight.flows.graph import FlowGraph, FlowNode
from windlass.store.operations.flows.graph import WALKED_AT_ONCE

_DEEPEST = 18
"""Characters before a name; what branches off further in begins at the margin again, below."""
_AGAIN = 300
"""How often jobs are drawn again, below their other parents; a dense graph would have a line for each edge."""
_PLAIN = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "↓": "v"})


class TreeLine(NamedTuple):
    """A line of the tree: what is drawn before the job, and the job."""

    drawn: str
    node: FlowNode
    is_again: bool = False
    """Whether the job and what lies below it is shown further above."""
    section: int = 0
    """What branches off from this job is shown further below, under this number."""
    heads: int = 0
    """What follows branches off from this job, which is shown further above with this number."""


@dataclass(frozen=True, slots=True)
class FlowTree:
    """All jobs that hang together with one."""

    graph: FlowGraph

    def data(self) -> object:
        return json_forms.flow(self.graph)

    def draw(self, screen: Screen) -> None:
        graph = self.graph
        states = Counter(node.state for node in graph.nodes)
        screen.line(f"{jobs_counted(len(graph.nodes))}: {', '.join(f'{n:,} {state}' for state, n in states.items())}")
        screen.line("")
        columns = [
            Column(title="STATE"),
            Column(title="JOB", least=24),
            Column(title="ID", least=12),
            Column(title="NOTE", least=10, may_go=True),
        ]
        screen.table(columns, [_row(line, graph.job) for line in tree_lines(graph)])
        if graph.left_out:
            or_more = " or more" if len(graph.nodes) + graph.left_out >= WALKED_AT_ONCE else ""
            screen.line(f"{graph.left_out:,}{or_more} jobs are not shown; these are nearest to {graph.job}")
        if graph.edges_left_out:
            screen.line("some of the lines between these jobs are not shown")


def _row(line: TreeLine, asked: str) -> list[Cell]:
    node = line.node
    drawn = line.drawn if _draws_lines() else line.drawn.translate(_PLAIN)
    if line.is_again or line.heads:
        where = "" if line.is_again else f"from ({line.heads}):"
        return [Styled("see above", "dim"), f"{drawn}{node.task}", Styled(node.id, "dim"), where]
    notes = [
        *(["this job"] if node.id == asked else []),
        *([node.reason] if node.reason and node.reason != "parents" else []),
        *([] if node.group is None else [f"{number:,} {state}" for state, number in node.group.states.items()]),
        *([f"goes on below: ({line.section})"] if line.section else []),
    ]
    style = "bold" if node.id == asked else ""
    id = node.id if node.group is None else ""
    return [state_cell(node.state), Styled(f"{drawn}{node.name}", style), id, ", ".join(notes)]


def _draws_lines() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def tree_lines(graph: FlowGraph) -> list[TreeLine]:
    """A line for each job, and one for each further way to a job that has several parents, up to a number.

    A job that is the only child of its only parent stands below it without being moved in, so that a long chain stays
    at the margin.
    """
    nodes = {node.id: node for node in graph.nodes}
    places = {id: place for place, id in enumerate(nodes)}
    children: dict[str, list[str]] = {}
    parents: Counter[str] = Counter()
    for edge in graph.edges:
        children.setdefault(edge.parent, []).append(edge.child)
        parents[edge.child] += 1
    for found in children.values():
        found.sort(key=places.__getitem__)
    lines: list[TreeLine] = []
    shown: set[str] = set()
    again = 0
    # What is still to be drawn, the next one last: a job, what is drawn before it, and before what follows it.
    todo = [(id, "", "") for id in reversed(nodes) if not parents[id]]
    later: list[tuple[int, str]] = []
    sections = 0
    while todo or later:
        if not todo:
            number, head = later.pop(0)
            lines.append(TreeLine("", nodes[head], heads=number))
            todo += reversed(_branches(children[head], ""))
            continue
        id, drawn, below = todo.pop()
        if id in shown:
            again += 1
            if again <= _AGAIN:
                lines.append(TreeLine(drawn, nodes[id], is_again=True))
            continue
        shown.add(id)
        own = children.get(id, [])
        if len(own) == 1 and parents[own[0]] == 1:
            todo.append((own[0], f"{below}↓ ", below))
        elif own and len(below) >= _DEEPEST:
            sections += 1
            later.append((sections, id))
            lines.append(TreeLine(drawn, nodes[id], section=sections))
            continue
        else:
            todo += reversed(_branches(own, below))
        lines.append(TreeLine(drawn, nodes[id]))
    return lines


def _branches(ids: Sequence[str], before: str) -> list[tuple[str, str, str]]:
    return [
        (id, f"{before}└─ ", f"{before}   ") if id == ids[-1] else (id, f"{before}├─ ", f"{before}│  ") for id in ids
    ]
