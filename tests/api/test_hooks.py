"""Hooks around enqueues."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.slow_shutdown import unhurried
from windlass import ConfigError, IdConflict, Job, Request, State, Windlass


@pytest.fixture
def app() -> Iterator[Windlass]:
    with unhurried(Windlass("sqlite:///:memory:")) as app:

        @app.task(name="add")
        def add(a: int, b: int) -> int:
            return a + b

        yield app


def test_a_hook_sees_the_request_and_the_job(app: Windlass) -> None:
    seen: list[object] = []

    @app.around_enqueue
    def look(request: Request) -> Generator[None, Job[Any], None]:
        seen.append((request.name, request.args, dict(request.kwargs)))
        job = yield
        seen.append((job.id, str(job.state)))

    job = app.enqueue("add", 1, b=2)
    assert seen == [("add", (1,), {"b": 2}), (job.id, "pending")]


def test_every_way_to_enqueue_leads_through_the_hooks(app: Windlass) -> None:
    names: list[str] = []

    @app.around_enqueue
    def look(request: Request) -> Iterator[None]:
        names.append(request.name)
        yield

    [task] = app.tasks
    task.enqueue(1, 2)
    task.delay(1, 2)
    task.options(priority=1).enqueue(1, 2)
    app.enqueue("elsewhere")
    task.enqueue_many([(1, 2), (3, 4)])
    app.enqueue_many([task.request(1, 2), app.request("elsewhere")])

    async def enqueue() -> None:
        await task.aenqueue(1, 2)
        await app.aenqueue_many([task.request(1, 2)])

    asyncio.run(enqueue())
    assert names == ["add", "add", "add", "elsewhere", "add", "add", "add", "elsewhere", "add", "add"]
    assert app.counts()[State.PENDING] == len(names)


def test_a_hook_may_change_the_request(app: Windlass) -> None:
    """The next one sees what the one before made of it; the first one is the outermost."""

    @app.around_enqueue
    def stamp(request: Request) -> Iterator[Request]:
        yield request.with_meta(tenant="a", by="hook")

    @app.around_enqueue
    def route(request: Request) -> Iterator[Request]:
        assert request.options.meta is not None
        yield request.but(queue=f"tenant-{request.options.meta['tenant']}", tags=("hooked",))

    [task] = app.tasks
    job = task.options(meta={"by": "caller", "page": 3}, priority=7).enqueue(1, 2).refresh()
    assert job.meta == {"tenant": "a", "by": "hook", "page": 3}
    assert (job.queue, job.priority, job.tags) == ("tenant-a", 7, ("hooked",))


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_each_job_of_many_has_its_hooks(app: Windlass, is_async: bool) -> None:
    seen: dict[object, str] = {}

    @app.around_enqueue
    def number(request: Request) -> Generator[Request, Job[Any], None]:
        job = yield request.with_meta(sum=sum(request.args))
        seen[request.args] = job.id

    [task] = app.tasks
    calls = [(1, 2), (3, 4)]
    jobs = asyncio.run(task.aenqueue_many(calls)) if is_async else task.enqueue_many(calls)
    assert [job.refresh().meta["sum"] for job in jobs] == [3, 7]
    assert seen == {call: job.id for call, job in zip(calls, jobs, strict=True)}


def test_what_a_hook_raises_before_its_yield_stores_nothing(app: Windlass) -> None:
    """Not even those before it in the same call; the hooks that were entered see it."""
    seen: list[str] = []

    @app.around_enqueue
    def outer(request: Request) -> Iterator[None]:
        try:
            yield
        except PermissionError as error:
            seen.append(f"{request.args} {error}")
            raise

    @app.around_enqueue
    def refuse(request: Request) -> Iterator[None]:
        if request.args == (3, 4):
            raise PermissionError("not for you")
        yield

    [task] = app.tasks
    with pytest.raises(PermissionError, match="not for you"):
        task.enqueue_many([(1, 2), (3, 4), (5, 6)])
    assert seen == ["(3, 4) not for you", "(1, 2) not for you"]
    assert app.counts()[State.PENDING] == 0


def test_a_hook_sees_why_nothing_was_stored(app: Windlass) -> None:
    seen: list[type[BaseException]] = []

    @app.around_enqueue
    def look(request: Request) -> Iterator[None]:
        try:
            yield
        except IdConflict as error:
            seen.append(type(error))

    [task] = app.tasks
    task.options(id="one").enqueue(1, 2)
    with pytest.raises(IdConflict):
        task.options(id="one").enqueue(3, 4)
    assert seen == [IdConflict]


def test_what_a_hook_raises_after_its_yield_is_raised_though_the_job_is_stored(app: Windlass) -> None:
    told: list[str] = []

    @app.around_enqueue
    def clumsy(request: Request) -> Iterator[None]:
        yield
        told.append(request.name)
        raise RuntimeError("too late")

    [task] = app.tasks
    with pytest.raises(RuntimeError, match="too late"):
        task.enqueue_many([(1, 2), (3, 4)])
    assert told == ["add", "add"]
    assert app.counts()[State.PENDING] == 2


def test_a_context_manager_is_a_hook_too(app: Windlass) -> None:
    @app.around_enqueue
    @contextmanager
    def stamp(request: Request) -> Iterator[Request]:
        yield request.with_meta(tenant="b")

    assert app.enqueue("add", 1, 2).refresh().meta == {"tenant": "b"}


def test_a_hook_that_yields_something_else_is_refused(app: Windlass) -> None:
    @app.around_enqueue
    def wrong(request: Request) -> Any:
        yield {"tenant": "a"}

    with pytest.raises(ConfigError, match=r"hook .*wrong must yield a Request or nothing, got {'tenant': 'a'}"):
        app.enqueue("add", 1, 2)
    assert app.counts()[State.PENDING] == 0


def test_jobs_that_a_job_enqueues_inherit_its_correlation_id_inside_hooks(app: Windlass) -> None:
    """B1."""

    @app.around_enqueue
    def stamp(request: Request) -> Iterator[Request]:
        yield request.with_meta(tenant="a")

    @app.task
    def parent() -> str:
        return app.enqueue("add", 1, 2).id

    job = parent.options(correlation_id="request-7").enqueue()
    app.worker().run_until_empty()
    child = app.job(job.refresh().result(timeout=0))
    assert (child.correlation_id, child.meta) == ("request-7", {"tenant": "a"})
