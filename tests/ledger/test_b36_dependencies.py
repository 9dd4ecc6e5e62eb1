"""Graphs of jobs: ``after=[...]``."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Literal

import pytest

from tests.ledger.apps import work
from windlass import ConfigError, JobCancelled, JobNotFound, State, Windlass
from windlass.job import Job
from windlass.task import Request, Task


@pytest.fixture
def seen() -> list[int]:
    return []


@pytest.fixture
def note(app: Windlass, seen: list[int]) -> Task[..., int]:
    @app.task(name="note", retry=False)
    def note(number: int) -> int:
        if number < 0:
            raise OSError
        seen.append(number)
        return number

    return note


def test_a_graph_that_is_built_as_one_goes(app: Windlass, note: Task[..., int], seen: list[int]) -> None:
    """B36: each runs when all that it waits for have completed."""
    first = note.enqueue(1)
    left = note.options(after=[first], priority=9).enqueue(2)
    right = note.options(after=[first.id], priority=5).enqueue(3)
    end = note.options(after=[left, right], priority=9).enqueue(4)
    assert (end.state, end.reason) == (State.BLOCKED, "parents")
    assert end.why() == f"it waits for {left.id} (blocked), {right.id} (blocked) to complete"
    work(app)
    assert sorted(seen) == [1, 2, 3, 4]
    assert (seen[0], seen[3]) == (1, 4)
    assert end.result(timeout=0) == 4


def test_requests_of_one_call_refer_to_each_other(app: Windlass, note: Task[..., int], seen: list[int]) -> None:
    """B36: in bulk, in any order, and inside hooks."""

    @app.around_enqueue
    def mark(request: Request) -> Generator[Request, Job[int]]:
        yield request.with_meta(by="hook")

    first = note.request(1)
    second = note.options(after=[first]).request(2)
    jobs = app.enqueue_many([note.options(after=[second, first]).request(3), second, first])
    assert [job.state for job in jobs] == [State.BLOCKED, State.BLOCKED, State.PENDING]
    assert jobs[0].meta == {"by": "hook"}
    work(app)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize(("chosen", "states"), [("cancel", "fcc"), ("run", "fcc"), ("wait", "fbb")])
def test_a_parent_that_fails(
    app: Windlass, note: Task[..., int], chosen: Literal["cancel", "run", "wait"], states: str
) -> None:
    """B36: it takes the others along, lets them run, or has them wait for a hand."""
    failed = note.enqueue(-1)
    child = note.options(after=[failed], on_parent_failure=chosen).enqueue(2)
    last = note.options(after=[child]).enqueue(3)
    work(app)
    assert "".join(job.refresh().state[0] for job in (failed, child, last)) == states
    if chosen == "cancel":
        assert (child.reason, last.reason) == ("dependency", "dependency")
        assert child.why().startswith("it is cancelled (dependency)")
        with pytest.raises(JobCancelled):
            last.result(timeout=0)
    if chosen == "run":
        assert last.result(timeout=0) == 3
    if chosen == "wait":
        assert "has to be retried" in child.why()


def test_what_is_refused(app: Windlass, note: Task[..., int]) -> None:
    """B36: circles, strangers, and what is no job; nothing is stored."""
    with pytest.raises(ConfigError, match="circle: x, y"):
        app.enqueue_many([note.options(id="x", after=["y"]).request(1), note.options(id="y", after=["x"]).request(2)])
    with pytest.raises(ConfigError, match="circle: z"):
        note.options(id="z", after=["z"]).enqueue(1)
    with pytest.raises(ConfigError, match="not part of this call"):
        note.options(after=[note.request(1)]).enqueue(2)
    with pytest.raises(ConfigError, match=r"after=\[job\]"):
        note.options(after="x")
    with pytest.raises(ConfigError, match="got 3"):
        note.options(after=[3])  # type: ignore[list-item]
    with pytest.raises(ConfigError, match="'cancel', 'run', 'wait'"):
        note.options(on_parent_failure="stop")  # type: ignore[call-overload]
    with pytest.raises(JobNotFound, match="'gone'"):
        note.options(after=["gone"]).enqueue(1)
    assert app.jobs() == []


def test_from_async_code(note: Task[..., int]) -> None:
    """B36."""

    async def build() -> Job[int]:
        first = await note.aenqueue(1)
        return await note.options(after=[first]).aenqueue(2)

    assert asyncio.run(build()).state is State.BLOCKED


def test_a_graph_is_read_as_data_and_as_mermaid(app: Windlass, note: Task[..., int]) -> None:
    """B36: parents, children, and all that hangs together, with the states."""
    first = note.enqueue(1)
    left, right = (note.options(after=[first]).enqueue(number) for number in (2, -3))
    end = note.options(after=[left, right]).enqueue(4)
    alone = note.enqueue(5)
    assert ([job.id for job in end.parents], end.children) == ([left.id, right.id], [])
    assert [job.id for job in first.children] == [left.id, right.id]
    work(app)
    assert [job.state for job in end.parents] == [State.COMPLETED, State.FAILED]
    graph = left.flow()
    assert [(node.id, node.state) for node in graph.nodes] == [
        (first.id, State.COMPLETED),
        (left.id, State.COMPLETED),
        (right.id, State.FAILED),
        (end.id, State.CANCELLED),
    ]
    assert [(edge.parent, edge.child) for edge in graph.edges] == [
        (first.id, left.id),
        (first.id, right.id),
        (left.id, end.id),
        (right.id, end.id),
    ]
    assert (graph.job, graph.truncated, graph.left_out) == (left.id, False, 0)
    assert graph.mermaid().splitlines()[5] == "    n0 --> n1"
    assert [node.id for node in alone.flow().nodes] == [alone.id]


def test_what_lies_downstream_is_cancelled(app: Windlass, note: Task[..., int], seen: list[int]) -> None:
    """B36: also what would run without its parents; what lies beside stays."""
    first = note.enqueue(1)
    left, right = (note.options(after=[first], on_parent_failure="run").enqueue(number) for number in (2, 3))
    end = note.options(after=[left], on_parent_failure="run").enqueue(4)
    assert left.cancel(descendants=True, reason="enough")
    assert not left.cancel(descendants=True)
    work(app)
    assert seen == [1, 3]
    assert [job.refresh().state[:2] for job in (left, right, end)] == ["ca", "co", "ca"]


def test_a_job_that_waits_is_run_now(app: Windlass, note: Task[..., int], seen: list[int]) -> None:
    """B36: by hand; in place of a result that is not there it gets what says so."""

    @app.task(name="show")
    def _show(value: object) -> str:
        return f"{type(value).__name__} {getattr(value, 'state', '')}"

    waits = note.options(delay="1h").enqueue(1)
    child = app.enqueue(app.request("show", after=[waits], into="value"))
    assert child.retry().state is State.PENDING
    work(app)
    assert child.result(timeout=0) == "ParentFailed unfinished"
    assert seen == []


def test_graphs_from_async_code(note: Task[..., int]) -> None:
    """B36."""

    async def look() -> tuple[int, int, int, bool]:
        first = await note.aenqueue(1)
        second = await note.options(after=[first]).aenqueue(2)
        parents, children = await second.aparents(), await first.achildren()
        graph = await first.aflow()
        return len(parents), len(children), len(graph.nodes), await first.acancel(descendants=True)

    assert asyncio.run(look()) == (1, 1, 2, True)
