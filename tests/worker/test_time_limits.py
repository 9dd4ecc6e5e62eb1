"""Time limits of coroutines and threads, and how a run asks for more."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from tests.ledger.apps import failure_of, gate
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, Retry, State, Windlass, current_job

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


def test_a_coroutine_that_takes_too_long_is_a_failed_attempt(app: Windlass) -> None:
    """A3: a job that ran out of its own time is JobFailed with TimeoutError inside."""
    cleaned = Event()

    @app.task(timeout=0.05)
    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    with app.worker():
        job = wait.options(attempts=1).enqueue()
        failed = failure_of(job)
    assert cleaned.is_set()
    assert (failed.type, failed.reason, failed.message) == ("TimeoutError", "timeout", "ran longer than 0.05 s")


def test_a_coroutine_that_takes_too_long_is_retried(app: Windlass) -> None:
    @app.task(timeout=0.05)
    async def wait() -> None:
        await asyncio.Event().wait()

    with app.worker():
        job = wait.enqueue()
        eventually(lambda: job.refresh().state == State.RETRYING, "the attempt fails")
    assert (job.attempt, [fault.type for fault in job.errors]) == (1, ["TimeoutError"])


def test_each_coroutine_has_a_limit_of_its_own(app: Windlass) -> None:
    """One table of deadlines serves all: short ones that come later end first."""

    @app.task
    async def wait() -> None:
        await asyncio.Event().wait()

    with app.worker(grace=0):
        unlimited = wait.options(timeout=None).enqueue()
        long = wait.options(timeout="1h").enqueue()
        short = [wait.options(timeout=limit, attempts=1).enqueue() for limit in (0.3, 0.1, 0.2)]
        assert [failure_of(job).reason for job in short] == ["timeout"] * 3
        assert (unlimited.refresh().state, long.refresh().state) == (State.RUNNING, State.RUNNING)


def test_a_coroutine_that_ends_in_time_is_left_alone(app: Windlass) -> None:
    @app.task(timeout=0.05)
    async def quick() -> str:
        return "in time"

    @app.task(timeout=0.1)
    async def wait() -> None:
        await asyncio.Event().wait()

    with app.worker():
        jobs = [quick.enqueue() for _ in range(20)]
        failure_of(wait.options(attempts=1).enqueue())
        assert {job.result(timeout=PATIENCE) for job in jobs} == {"in time"}


def test_time_spent_waiting_for_a_blocked_loop_does_not_count(app: Windlass) -> None:
    """The limit is for the run: it begins when user code does."""
    with gate() as hog:

        @app.task
        async def block() -> None:
            hog.wait()

        @app.task(timeout=0.05)
        async def quick() -> str:
            return "in time"

        @app.task
        def later() -> None:
            pass

        with app.worker(concurrency=3) as worker:
            block.enqueue()
            hog.await_entered()
            job = quick.enqueue()
            eventually(lambda: worker.status().running == 2, "the second is handed to the loop")
            later.options(delay=0.2).enqueue().wait(timeout=PATIENCE)
            hog.open()
            assert job.result(timeout=PATIENCE) == "in time"


def test_a_time_limit_of_their_own_is_an_ordinary_error(app: Windlass) -> None:
    @app.task
    async def hurry() -> None:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()

    with app.worker():
        failed = failure_of(hurry.options(attempts=1).enqueue())
    assert (failed.type, failed.reason) == ("TimeoutError", "attempts")


@pytest.mark.parametrize("swallow", [True, False])
def test_a_coroutine_that_returns_in_spite_of_its_limit_has_completed(app: Windlass, swallow: bool) -> None:
    """The work is done, if late; one that only cleans up has not returned."""

    @app.task(timeout=0.05)
    async def wait() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not swallow:
                raise
        return "late"

    with app.worker():
        job = wait.options(attempts=1).enqueue().wait(timeout=PATIENCE)
    assert job.state == (State.COMPLETED if swallow else State.FAILED)


@pytest.mark.parametrize("is_async", [True, False], ids=["async", "thread"])
def test_a_run_may_ask_for_more_time(app: Windlass, is_async: bool) -> None:
    """B8: job.extend() counts from the moment it is called, and never shortens."""
    pause = Event()
    extended: list[int] = []

    def extend() -> None:
        current_job().extend("1h")
        current_job().extend("1ms")
        extended.append(current_job().attempt)

    @app.task(timeout=0.3)
    async def slow() -> str:
        extend()
        await asyncio.sleep(0.6)
        return "done"

    @app.task(timeout=0.3)
    def slowly() -> str:
        extend()
        pause.wait(0.6)
        return "done"

    # On a machine that stands still a run may come too late to ask; one that has asked is left alone.
    retry = Retry(attempts=20, base=0)
    with app.worker():
        job = (slow if is_async else slowly).options(retry=retry).enqueue()
        assert job.result(timeout=PATIENCE) == "done"
    assert len(extended) == 1


def test_more_time_is_over_as_well(app: Windlass) -> None:
    """B8: and the error names what the run was given in all."""

    @app.task(timeout=60)
    async def wait() -> None:
        current_job().extend("1ms")
        await asyncio.Event().wait()

    @app.task(timeout=0.05)
    async def longer() -> None:
        current_job().extend("200ms")
        await asyncio.Event().wait()

    with app.worker(grace=0):
        wait.enqueue()
        failed = failure_of(longer.options(attempts=1).enqueue())
    assert failed.reason == "timeout"
    assert (failed.message or "").startswith("ran longer than 0.2")


def test_more_time_must_be_a_length_of_time(app: Windlass) -> None:
    @app.task
    def ask() -> None:
        current_job().extend("soon")

    with app.worker():
        failed = failure_of(ask.options(attempts=1).enqueue())
    assert (failed.type or "").endswith(ConfigError.__name__)


def test_a_run_without_a_limit_needs_no_more(app: Windlass) -> None:
    @app.task(timeout=None)
    def ask() -> str:
        current_job().extend("1ms")
        return "done"

    with app.worker():
        assert ask.enqueue().result(timeout=PATIENCE) == "done"
