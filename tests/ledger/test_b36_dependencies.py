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
        note.options(on_parent_failure="stop")  # type: ignore[arg-type]
    with pytest.raises(JobNotFound, match="'gone'"):
        note.options(after=["gone"]).enqueue(1)
    assert app.jobs() == []


def test_from_async_code(note: Task[..., int]) -> None:
    """B36."""

    async def build() -> Job[int]:
        first = await note.aenqueue(1)
        return await note.options(after=[first]).aenqueue(2)

    assert asyncio.run(build()).state is State.BLOCKED
