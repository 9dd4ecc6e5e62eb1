"""Walks along edges: what hangs together with a job, what lies downstream of it, and what retention keeps of it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.store.builders import HOUR, new_job, raised
from tests.store.flows import after, chain, states, taken, tied
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls
from windlass.admin.cleanup.cleanup import CleaningRound, clean
from windlass.core.outcome import FailedPermanently
from windlass.core.state import State
from windlass.insight.flows.graph import flow_graph
from windlass.retention import Retention
from windlass.store.operations import jobs, queries
from windlass.store.operations.enqueue import enqueue
from windlass.store.operations.flows import graph as flows
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.flows.ended import EndedFlows, flows_exist
from windlass.store.operations.flows.graph import cancel_downstream, walk
from windlass.store.operations.flows.groups import NewGroup, NewMember
from windlass.store.operations.upkeep.prune import FinishedLine, Position
from windlass.store.pages import PAGE

FAILED = FailedPermanently(raised().fault, "permanent")
DIAMOND = (("a", ""), ("b", "a"), ("c", "a"), ("d", "bc"))


def diamond(store: Store, policy: str = "cancel") -> dict[str, int]:
    """Two jobs between the first and the last; the seqs."""
    tied(store, *((new_job(id), list(parents)) for id, parents in DIAMOND), policy=policy)
    return {id: store.job(id).seq for id in "abcd"}


def counts(store: Store) -> Counter[State]:
    found: Counter[State] = Counter()
    for by_state in store.run(queries.counts()).values():
        found.update({state: number for state, number in by_state.items() if number})
    return found


def cleaned(store: Store) -> int:
    """Let retention take all that it may take now; how many jobs that were.

    Two rounds: a job that was alone left over by one is a job without edges for the next.
    """
    store.advance(HOUR)
    policy = Retention(completed="1s", failed="1s", cancelled="1s")
    return sum(store.run(clean(policy, None, by="leader", monotonic=lambda: 0.0)).deleted for _ in range(2))


def test_a_walk_finds_all_that_hangs_together_the_nearest_first(store: Store) -> None:
    seq = diamond(store)
    store.enqueue(new_job("alone"))
    found = store.run(walk([seq["b"]]))
    assert (found[0].seq, found[0].state) == (seq["b"], State.BLOCKED)
    assert {job.seq for job in found[:3]} == {seq["b"], seq["a"], seq["d"]}
    assert sorted(job.seq for job in found) == sorted(seq.values())
    assert store.run(walk([store.job("alone").seq])) == [flows.Walked(store.job("alone").seq, State.PENDING)]


def test_a_walk_downstream_finds_only_what_waits(store: Store) -> None:
    seq = diamond(store)
    assert {job.seq for job in store.run(walk([seq["b"]], down=True))} == {seq["b"], seq["d"]}
    assert len(store.run(walk([seq["a"]], down=True, limit=3))) == 3


def test_a_walk_passes_through_jobs_that_are_gone(store: Store) -> None:
    chain(store, "abc")
    seq = {id: store.job(id).seq for id in "abc"}
    for id in "ab":
        store.end(taken(store.a_worker(), id))
    store.run(jobs.delete([(seq["b"], "b")]))
    found = {job.seq: job.state for job in store.run(walk([seq["c"]]))}
    assert found[seq["c"]] is State.PENDING
    assert found[seq["b"]] is None


def test_a_graph_has_the_jobs_and_the_edges_between_them(store: Store) -> None:
    seq = diamond(store)
    store.end(taken(store.a_worker(), "a"))
    found, edges = store.run(flows.graph(list(seq.values()), most=9))
    assert sorted((job.id, job.task, job.queue, job.state) for job in found) == [
        ("a", "greet", "default", State.COMPLETED),
        ("b", "greet", "default", State.PENDING),
        ("c", "greet", "default", State.PENDING),
        ("d", "greet", "default", State.BLOCKED),
    ]
    assert {(edge.parent, edge.child): edge.is_open for edge in edges} == {
        (seq["a"], seq["b"]): False,
        (seq["a"], seq["c"]): False,
        (seq["b"], seq["d"]): True,
        (seq["c"], seq["d"]): True,
    }
    assert len(store.run(flows.graph(list(seq.values()), most=2))[1]) == 2
    assert len(store.run(flows.graph([seq["a"], seq["b"]], most=9))[1]) == 1


def test_reading_a_graph_takes_two_calls(store: Store) -> None:
    """B36: not one for each job or level."""
    names = [f"job-{number}" for number in range(1002)]
    chain(store, names)
    watched = WatchedCalls(store)
    graph = watched.run(flow_graph(store.job(names[0])))
    assert watched.names() == ["flow_walk", "flow_graph"]
    assert [node.id for node in graph.nodes] == names[:1000]
    assert (graph.left_out, graph.truncated, len(graph.edges)) == (2, True, 999)


@pytest.mark.parametrize("policy", ["cancel", "run", "wait"])
def test_all_that_lies_downstream_is_cancelled(store: Store, policy: str) -> None:
    """B36: also where children would run without their parents, and where some of it runs."""
    diamond(store, policy)
    worker = store.a_worker()
    store.end(taken(worker, "a"))
    running, waiting = worker.take(9)
    changed = store.run(cancel_downstream(store.job("a").seq, by="me", reason="enough"))
    assert (changed, states(store, "ad")) == (3, "cc")
    assert store.job("d").state is State.CANCELLED
    assert all(store.job(job.id).cancel_requested_at for job in (running, waiting))
    assert store.run(cancel_downstream(store.job("a").seq, by="me")) == 0


def test_what_is_beside_a_job_is_not_cancelled_with_it(store: Store) -> None:
    diamond(store)
    store.end(taken(store.a_worker(), "a"))
    store.run(cancel_downstream(store.job("b").seq, by="me"))
    assert [store.job(id).state for id in "bcd"] == [State.CANCELLED, State.PENDING, State.CANCELLED]


def test_more_than_a_walk_finds_is_cancelled_in_several(store: Store) -> None:
    """B36: wide and deep, with ways that meet."""
    wide = [f"wide-{number}" for number in range(20)]
    deep = [f"deep-{number}" for number in range(20)]
    tied(
        store,
        (new_job("a"), []),
        *((new_job(id), ["a"]) for id in wide),
        (new_job(deep[0]), wide[:5]),
        *((new_job(id), [deep[index], wide[index]]) for index, id in enumerate(deep[1:])),
        (new_job("other"), []),
        policy="wait",
    )
    assert store.run(cancel_downstream(store.job("a").seq, by="me", at_once=7)) == 41
    assert counts(store) == {State.CANCELLED: 41, State.PENDING: 1}


def test_a_flow_is_kept_together_until_all_of_it_has_ended(store: Store) -> None:
    """A13, B36: also those that are no direct parents; jobs of their own go."""
    worker = store.a_worker()
    chain(store, "abcd")
    store.enqueue(new_job("alone"))
    first, alone = sorted(worker.take(9), key=lambda job: job.id)
    for job in (first, alone):
        store.end(job)
    for id in "bc":
        store.end(taken(worker, id))
    assert cleaned(store) == 1
    assert (store.count(), store.exists("alone")) == (4, False)
    worker = store.a_worker()
    store.end(taken(worker, "d"))
    assert cleaned(store) == 4
    assert store.count() == 0
    assert not store.run(flows_exist())


def test_what_hangs_together_sideways_is_kept_too(store: Store) -> None:
    """A13, B36: a job that has ended beside one that has not."""
    diamond(store)
    worker = store.a_worker()
    store.end(taken(worker, "a"))
    first, second = worker.take(9)
    store.end(first)
    tied(store, (new_job("x"), []), (new_job("y"), ["x"]))
    store.run(cancel_downstream(store.job("x").seq, by="me"))
    assert cleaned(store) == 2, "of a flow that is over"
    assert states(store, f"a{first.id}") == "cc"
    store.end(second, FAILED)
    store.run(jobs.promote())
    assert cleaned(store) == 4


def test_a_chain_of_1000_is_kept_and_goes_as_a_whole(store: Store) -> None:
    """A13, B36."""
    names = [f"job-{number}" for number in range(1000)]
    chain(store, names)
    seqs = [store.job(id).seq for id in names[:2]]
    store.run(cancel_downstream(seqs[1], by="me"))
    assert cleaned(store) == 0
    store.run(jobs.cancel([seqs[0]], by="me"))
    assert cleaned(store) == 1000


def test_flows_that_are_larger_than_a_walk_are_looked_at_one_by_one(store: Store) -> None:
    """A13: what is nearest counts."""
    chain(store, "abcdefgh")
    seq = {id: store.job(id).seq for id in "abcdefgh"}
    store.run(cancel_downstream(seq["b"], by="me"))
    ended = store.run(EndedFlows(at_once=3).among([seq[id] for id in "bdh"]))
    assert ended == {seq["d"], seq["h"]}


@pytest.mark.only_on("sqlite")
def test_a_round_looks_at_some_pages_of_kept_flows_and_the_next_goes_on(store: Store) -> None:
    """A13: however many are kept."""
    kept = [f"kept-{number}" for number in range(PAGE + 1)]
    chain(store, kept)
    store.run(cancel_downstream(store.job(kept[1]).seq, by="me"))
    store.advance(HOUR)
    chain(store, "xy")
    store.run(cancel_downstream(store.job("x").seq, by="me"))
    store.advance(HOUR)
    policy = Retention(completed="1s", failed="1s", cancelled="1s")
    positions: dict[FinishedLine, Position] = {}
    deleted = []
    for _ in range(3):
        cleaning = CleaningRound(policy, None, by="leader", flow_positions=positions, flow_pages=1)
        for step in cleaning.steps():
            store.run(step)
        positions = cleaning.flow_positions
        deleted.append(cleaning.deleted)
    assert deleted == [0, 2, 0]
    assert store.count() == PAGE + 1


@pytest.mark.only_on("sqlite")
def test_a_depth_of_10000_is_no_matter(store: Store) -> None:
    """B36: enqueue, release, read, cancel what lies downstream, keep, and let go."""
    names = [f"job-{number}" for number in range(10_000)]
    chain(store, names)
    worker = store.a_worker()
    store.end(taken(worker, names[0]))
    assert store.job(names[1]).state is State.PENDING
    graph = store.run(flow_graph(store.job(names[5000])))
    assert (len(graph.nodes), graph.left_out) == (1000, 9000)
    assert cleaned(store) == 0
    assert store.run(cancel_downstream(store.job(names[0]).seq, by="me")) == 9999
    assert counts(store) == {State.COMPLETED: 1, State.CANCELLED: 9999}
    assert cleaned(store) == 10_000


@pytest.mark.parametrize("number", [20, 50])
def test_a_large_group_is_one_node_with_counts(store: Store, number: int) -> None:
    """B35, B36: however many members it has, and from wherever it is looked at."""
    names = [f"member-{each}" for each in range(number)]
    ties = [NewEdge(id, 0, "first", None, "cancel") for id in names]
    new = [new_job("first"), *(after(new_job(id)) for id in names), after(new_job("last"))]
    members = [NewMember("last", place, id, None) for place, id in enumerate(names)]
    store.run(enqueue(new, {}, ties, groups=[NewGroup("last", "cancel")], members=members))
    graph = store.run(flow_graph(store.job("last")))
    if number == 20:
        assert (len(graph.nodes), len(graph.edges)) == (22, 40)
        return
    assert [(node.id, node.name) for node in graph.nodes] == [
        ("first", "greet"),
        ("group:last", "group of 50"),
        ("last", "greet"),
    ]
    assert [(edge.parent, edge.child, edge.is_open) for edge in graph.edges] == [
        ("first", "group:last", True),
        ("group:last", "last", True),
    ]
    group = graph.nodes[1].group
    assert group is not None
    assert (group.callback, group.total, group.states) == ("last", 50, {State.BLOCKED: 50})
    assert (graph.left_out, graph.truncated) == (0, False)
    of_a_member = store.run(flow_graph(store.job(names[40])))
    assert {node.id for node in of_a_member.nodes} == {"first", "group:last", "last", names[40]}
