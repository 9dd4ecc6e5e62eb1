"""Hooks around runs."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident
from typing import Any

import pytest

from tests.ledger.apps import failure_of, work
from tests.waiting import PATIENCE
from tests.worker.isolated.tasks import isolated
from windlass import ActiveJob, Cancel, ConfigError, Job, Retry, Snooze, State, Windlass, current_job
from windlass.testing import drain, inline, manual

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store

tenant: ContextVar[str] = ContextVar("tenant", default="nobody")

KINDS = ("thread", "async")


def declare(app: Windlass, kind: str, body: Any, **options: Any) -> Any:
    """A task of either kind with this body."""

    def plain() -> Any:
        return body()

    async def coroutine() -> Any:
        await asyncio.sleep(0)
        return body()

    options = {"retry": Retry(attempts=1), **options}
    return app.task(name="body", **options)(plain if kind == "thread" else coroutine)


def raising(error: BaseException) -> Any:
    def body() -> None:
        raise error

    return body


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_sees_the_job_and_what_it_returned(app: Windlass, kind: str) -> None:
    seen: list[object] = []

    @app.around_run
    def look(job: ActiveJob) -> Generator[None, object, None]:
        seen.append((job.id, job.attempt, job is current_job()))
        seen.append((yield))

    task = declare(app, kind, lambda: 42)
    with app.worker():
        job = task.enqueue()
        assert job.result(timeout=PATIENCE) == 42
    assert seen == [(job.id, 1, True), 42]


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_hook_is_the_outermost(app: Windlass, kind: str) -> None:
    """Also when they are added after the task was declared."""
    seen: list[str] = []
    task = declare(app, kind, lambda: seen.append("task"))

    def hook(name: str) -> None:
        @app.around_run
        def around(job: ActiveJob) -> Iterator[None]:
            seen.append(f"into {name}")
            yield
            seen.append(f"out of {name}")

    hook("first")
    hook("second")
    task.enqueue()
    work(app)
    assert seen == ["into first", "into second", "task", "out of second", "out of first"]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [ValueError("bad"), Cancel("no"), StopIteration(3), SystemExit(2)], ids=repr)
def test_a_hook_sees_what_the_task_raised_and_cannot_hide_it(app: Windlass, kind: str, error: BaseException) -> None:
    error.__traceback__ = None  # each kind of task raises it
    seen: list[BaseException] = []

    @app.around_run
    def swallow(job: ActiveJob) -> Iterator[None]:
        try:
            yield
        except BaseException as raised:
            seen.append(raised)

    @app.around_run
    def pass_on(job: ActiveJob) -> Iterator[None]:
        yield

    job = declare(app, kind, raising(error)).enqueue()
    work(app)
    outcome = State.CANCELLED if isinstance(error, Cancel) else State.FAILED
    assert job.refresh().state is outcome
    if kind == "async" and isinstance(error, StopIteration):
        assert [type(raised) for raised in seen] == [RuntimeError]  # Python allows none to leave a coroutine
        return
    assert seen == [error]
    if outcome is State.FAILED:
        assert job.errors[0].type == type(error).__name__
        assert "windlass/hooks.py" not in job.errors[0].traceback, "it begins with the task"


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_may_put_another_exception_in_its_place(app: Windlass, kind: str) -> None:
    @app.around_run
    def translate(job: ActiveJob) -> Iterator[None]:
        try:
            yield
        except ConnectionError:
            raise Snooze("10m") from None

    job = declare(app, kind, raising(ConnectionError("busy"))).enqueue()
    work(app)
    assert (job.refresh().state, job.attempt, job.errors) == (State.SCHEDULED, 0, ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_a_hook_raises_is_the_outcome_of_the_job(app: Windlass, kind: str, moment: str) -> None:
    """Never the end of the worker; the hooks outside of it see it, the task is not called if it comes before."""
    seen: list[str] = []

    @app.around_run
    def outer(job: ActiveJob) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            seen.append(f"outer saw {error}")
            raise

    @app.around_run
    def broken(job: ActiveJob) -> Iterator[None]:
        if job.attempt == 1 and moment == "before":
            raise ValueError("the hook")
        yield
        if job.attempt == 1:
            raise ValueError("the hook")

    task = declare(app, kind, lambda: seen.append("task"), retry=Retry(attempts=2, base=0))
    with app.worker():
        job = task.enqueue()
        job.result(timeout=PATIENCE)
    assert seen == [*(["task"] if moment == "after" else []), "outer saw the hook", "task"]
    assert [fault.message for fault in job.refresh().errors] == ["the hook"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_shares_its_context_with_the_task(app: Windlass, kind: str) -> None:
    """And its thread; what it sets does not reach the next job."""
    before: list[str] = []
    threads: list[int] = []

    @app.around_run
    def enter(job: ActiveJob) -> Iterator[None]:
        before.append(tenant.get())
        threads.append(get_ident())
        token = tenant.set(job.id)
        yield
        tenant.reset(token)

    def body() -> str:
        assert get_ident() == threads[-1]
        return tenant.get()

    task = declare(app, kind, body)
    jobs: list[Job[str]] = [task.enqueue() for _ in range(3)]
    work(app, concurrency=1)
    assert [job.refresh().result(timeout=PATIENCE) for job in jobs] == [job.id for job in jobs]
    assert before == ["nobody"] * 3


@pytest.mark.only_on("sqlite")
def test_context_managers_are_hooks_too(app: Windlass) -> None:
    """Also one that would swallow an exception: it is no business of a hook's to have a failed job succeed."""
    seen: list[object] = []

    class Swallowing:
        def __enter__(self) -> None:
            seen.append("in")

        def __exit__(self, *exception: object) -> bool:
            seen.append(exception[0])
            return True

    @app.around_run
    @contextmanager
    def managed(job: ActiveJob) -> Iterator[None]:
        yield
        seen.append("never")

    app.around_run(lambda job: Swallowing())
    job = declare(app, "thread", raising(ValueError("bad"))).enqueue()
    work(app)
    assert failure_of(job).type == "ValueError"
    assert seen == ["in", ValueError]


def no_yield(job: ActiveJob) -> Iterator[None]:
    yield from ()


def two_yields(job: ActiveJob) -> Iterator[None]:
    yield
    yield


def no_generator(job: ActiveJob) -> Any:
    return 7


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("hook", "complaint"),
    [
        (no_yield, "hook no_yield has ended without a yield"),
        (two_yields, "hook two_yields must yield only once"),
        (no_generator, "hook no_generator must be a generator function or return a context manager, got 7"),
    ],
)
def test_a_hook_that_is_none_says_so_in_the_job(app: Windlass, hook: Any, complaint: str) -> None:
    app.around_run(hook)
    job = declare(app, "thread", lambda: None).enqueue()
    work(app)
    assert (job.refresh().errors[0].type, job.errors[0].message) == ("windlass.errors.ConfigError", complaint)


@pytest.mark.only_on("sqlite")
def test_a_hook_cannot_be_async(app: Windlass) -> None:
    async def coroutine(job: ActiveJob) -> None: ...

    async def generator(job: ActiveJob) -> Any:
        yield

    for hook in (coroutine, generator):
        with pytest.raises(ConfigError, match="must be a plain generator function, also for async tasks"):
            app.around_run(hook)  # type: ignore[type-var]  # what is tested
    with pytest.raises(ConfigError, match="must be a function, got 'name'"):
        app.around_run("name")  # type: ignore[type-var]  # what is tested


def test_a_hook_sees_that_its_run_is_interrupted(app: Windlass) -> None:
    """B8: an async task is cancelled at its await, inside the hook."""
    seen: list[type[BaseException]] = []

    @app.around_run
    def look(job: ActiveJob) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            seen.append(type(error))
            raise

    @app.task(retry=Retry(attempts=1), timeout=0.1)
    async def endless() -> None:
        await asyncio.Event().wait()

    with app.worker():
        assert failure_of(endless.enqueue()).type == "TimeoutError"
    assert seen == [asyncio.CancelledError]


def test_children_have_the_hooks_of_the_module_they_import(app: Windlass) -> None:
    isolated(app)
    with app.worker(children=1):
        tasks = ["hooked", "ahooked"]
        jobs = app.enqueue_many([app.request(task, attempts=1) for task in tasks])
        assert [job.result(timeout=PATIENCE) for job in jobs] == tasks


@pytest.mark.only_on("sqlite")
def test_jobs_in_tests_run_inside_their_hooks(app: Windlass) -> None:
    seen: list[str] = []

    @app.around_run
    def look(job: ActiveJob) -> Iterator[None]:
        seen.append(job.task)
        yield

    task = declare(app, "async", lambda: None)
    with manual(app):
        task.enqueue()
        drain(app)
    with inline(app):
        task.enqueue()
    assert seen == ["body"] * 2


@pytest.mark.only_on("sqlite")
def test_without_hooks_a_task_is_called_as_it_is(app: Windlass) -> None:
    task = declare(app, "thread", lambda: None)
    assert task.hooked is task.function
