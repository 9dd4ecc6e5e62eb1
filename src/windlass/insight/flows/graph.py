"""The whole graph around a job, with the states of all of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.insight.flows.groups import MEMBERS, FlowGroup, Folded, folded_groups
from windlass.insight.flows.mermaid import mermaid_text
from windlass.store.operation import Operation
from windlass.store.operations.flows.graph import WALKED_AT_ONCE, FlowJob, FlowLink, graph, walk

NODES = 1000
"""How many jobs a graph has at the most."""
EDGES = 10_000
"""How many edges a graph has at the most."""


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A job in a graph."""

    id: str
    task: str
    queue: str
    state: State
    reason: str | None
    group: FlowGroup | None = None
    """Set where the node is no job but stands for the members of a group, of which there are more than 20."""

    @property
    def name(self) -> str:
        """What people are shown: the task, or how many members a group has."""
        return self.task if self.group is None else f"group of {self.group.total}"


@dataclass(frozen=True, slots=True)
class FlowEdge:
    """The child waits, or waited, for the parent; both are ids of jobs."""

    parent: str
    child: str
    is_open: bool
    """Whether it still waits."""


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """All jobs that hang together with one by ``after=``, and what they wait for.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> load = app.enqueue(app.request("load", id="first"))
    >>> report = app.enqueue(app.request("report", id="second", after=[load]))
    >>> graph = report.flow()
    >>> [(node.task, str(node.state)) for node in graph.nodes], graph.truncated
    ([('load', 'pending'), ('report', 'blocked')], False)
    >>> graph.edges
    (FlowEdge(parent='first', child='second', is_open=True),)
    >>> app.close()
    """

    job: str
    """The id of the job that was asked."""
    nodes: tuple[FlowNode, ...]
    """Parents before their children. Where there are more than 1,000 jobs, those that are nearest to the one asked."""
    edges: tuple[FlowEdge, ...]
    left_out: int = 0
    """How many jobs are not among the nodes; counted up to 9,000, which stands for that many or more."""
    edges_left_out: bool = False
    """Whether there are more edges between these nodes than the 10,000 that are shown."""

    @property
    def truncated(self) -> bool:
        """Whether there is more than is shown."""
        return self.left_out > 0 or self.edges_left_out

    def mermaid(self) -> str:
        """The graph as Mermaid text, which many documents and chats draw."""
        shown = [(node.id, node.name, node.state) for node in self.nodes]
        return mermaid_text(shown, [(edge.parent, edge.child) for edge in self.edges], left_out=self.left_out)


def flow_graph(job: JobRecord) -> Operation[FlowGraph]:
    """Read the graph around a job: one walk, and one look at the jobs that it found; one more for each large group."""
    walked = yield from walk([job.seq], members=MEMBERS + 1)
    shown = [found.seq for found in walked[:NODES]]
    left_out = min(len(walked), WALKED_AT_ONCE) - len(shown)
    jobs, links = yield from graph(shown, most=EDGES + 1)
    ids = {found.seq: found.id for found in jobs}
    between = [link for link in links[:EDGES] if link.parent in ids and link.child in ids]
    groups = yield from folded_groups(job.seq, ids, between)
    jobs, between = _folded(jobs, between, groups)
    ids |= {-each.seq: f"group:{each.group.callback}" for each in groups}
    counted = {-each.seq: each.group for each in groups}
    ordered = _ordered(jobs, between)
    places = {each.seq: place for place, each in enumerate(ordered)}
    between.sort(key=lambda link: (places[link.parent], places[link.child]))
    return FlowGraph(
        job.id,
        tuple(
            FlowNode(ids[each.seq], each.task, each.queue, each.state, each.reason, counted.get(each.seq))
            for each in ordered
        ),
        tuple(FlowEdge(ids[link.parent], ids[link.child], link.is_open) for link in between),
        left_out,
        len(links) > EDGES,
    )


def _folded(
    jobs: Sequence[FlowJob], links: Sequence[FlowLink], groups: Sequence[Folded]
) -> tuple[list[FlowJob], list[FlowLink]]:
    """The same with a node in the place of the members of each large group; its number is the callback's, below 0."""
    stands_for = {member: -each.seq for each in groups for member in each.members}
    shown = [job for job in jobs if job.seq not in stands_for]
    queues = {job.seq: job.queue for job in jobs}
    shown += [FlowJob(-each.seq, "", "group", queues[each.seq], each.group.state, None) for each in groups]
    ends: dict[tuple[int, int], FlowLink] = {}
    for link in links:
        parent, child = stands_for.get(link.parent, link.parent), stands_for.get(link.child, link.child)
        known = ends.get((parent, child))
        ends[parent, child] = FlowLink(parent, child, link.is_open or (known is not None and known.is_open))
    return shown, list(ends.values())


def _ordered(jobs: Sequence[FlowJob], links: Sequence[FlowLink]) -> list[FlowJob]:
    """Parents before their children, else as they were stored."""
    by_seq = {job.seq: job for job in sorted(jobs, key=lambda job: job.seq)}
    children: dict[int, list[int]] = {}
    left = dict.fromkeys(by_seq, 0)
    for link in links:
        children.setdefault(link.parent, []).append(link.child)
        left[link.child] += 1
    free = deque(seq for seq in by_seq if not left[seq])
    ordered: list[FlowJob] = []
    while free:
        seq = free.popleft()
        ordered.append(by_seq[seq])
        for child in sorted(children.get(seq, ())):
            left[child] -= 1
            if not left[child]:
                free.append(child)
    return ordered
