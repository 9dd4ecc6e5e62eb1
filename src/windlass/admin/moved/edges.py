"""Copies what jobs wait for to another store, when all jobs are there, and compares both."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from windlass.client.session import Session
from windlass.core.state import State
from windlass.errors import IdConflict
from windlass.store.operations import queries
from windlass.store.operations.flows.ended import flows_exist
from windlass.store.operations.flows.graph import graph
from windlass.store.operations.flows.transfer import MovedEdge, edges_into, import_edges
from windlass.store.operations.transfer import Batch, scan
from windlass.store.pages import PAGE


def parted(source: Session, queue: str) -> str | None:
    """Which job waits for another that a move of this queue would part from it, in a clause; None if none does."""
    if not source.run(flows_exist()):
        return None
    wanted = queries.Filter(states=(State.BLOCKED,), reason="parents")
    cursor: int | None = None
    while True:
        page = source.run(queries.matching(wanted, limit=PAGE, cursor=cursor))
        jobs, _ = source.run(graph([job.seq for job in page.jobs], most=0))
        by_seq = {job.seq: job for job in jobs}
        for edge in source.run(edges_into(list(by_seq))):
            child = by_seq[edge.child]
            if edge.is_open and edge.queue is not None and (child.queue == queue) is not (edge.queue == queue):
                return (
                    f"job {child.id} of queue {child.queue!r} waits for job {edge.parent} of queue {edge.queue!r}, "
                    "which would be in another store"
                )
        if page.next is None:
            return None
        cursor = page.next


def copy_edges(source: Session, target: Session, queue: str | None) -> None:
    """Copy what jobs wait, or waited, for; the jobs are there."""
    if not source.run(flows_exist()):
        return
    after: int | None = 0
    while after is not None:
        walked = source.run(scan(after=after, queue=queue))
        edges = _edges(source, {stop.seq: stop.id for stop in walked.stops}, queue)
        target.run(import_edges(edges))
        after = walked.next


def compared_edges(
    source: Session, here: Batch, target: Session, there: Batch, queue: str | None
) -> Iterator[tuple[str, list[object]]]:
    """The edges of the jobs that have some, read from both stores and found equal."""
    mine, theirs = (
        _comparable(_edges(store, {job.seq: job.id for job in load.jobs}, queue))
        for store, load in ((source, here), (target, there))
    )
    for id, edges in mine.items():
        if theirs.get(id) != edges:
            raise IdConflict(
                f"job {id!r} does not wait for the same jobs at {target.store_name}; has it changed there?"
            )
        yield id, edges


def _edges(store: Session, ids: dict[int, str], queue: str | None) -> list[tuple[str, MovedEdge]]:
    """The edges of these jobs. A parent in another queue, which is not moved, is gone for them."""
    edges = store.run(edges_into(list(ids)))
    return [(ids[edge.child], edge if queue in (None, edge.queue) else _without_parent(edge)) for edge in edges]


def _without_parent(edge: MovedEdge) -> MovedEdge:
    return msgspec.structs.replace(edge, parent=None, queue=None)


def _comparable(edges: list[tuple[str, MovedEdge]]) -> dict[str, list[object]]:
    """Edges by the child's id, without numbers and without what time has done: each store settles them at its time."""
    found: dict[str, list[object]] = {}
    for id, edge in edges:
        found.setdefault(id, []).append([edge.place, edge.parent, edge.policy])
    return found
