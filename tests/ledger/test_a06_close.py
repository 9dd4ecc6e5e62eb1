"""Closing an app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from tests.ledger.apps import Apps, gate
from tests.waiting import PATIENCE
from windlass import AppClosed, Job, State, Windlass


@pytest.mark.parametrize(
    "call",
    [
        lambda app: app.tasks[0].enqueue(),
        lambda app: app.tasks[0].enqueue_many([()]),
        lambda app: app.enqueue(app.tasks[0]),
        lambda app: app.jobs(),
        lambda app: app.counts(),
        lambda app: app.claim(),
        lambda app: app.rescue(),
    ],
)
def test_a_closed_app_takes_no_calls(app: Windlass, call: Callable[[Windlass], object]) -> None:
    """A6: enqueues and everything else raise AppClosed."""

    @app.task
    def noop() -> None: ...

    noop.enqueue()
    app.close()
    with pytest.raises(AppClosed, match="closed"):
        call(app)


@pytest.mark.asyncio
async def test_a_closed_app_takes_no_async_calls(app: Windlass) -> None:
    """A6: neither do the async forms."""

    @app.task
    def noop() -> None: ...

    await noop.aenqueue()
    app.close()
    with pytest.raises(AppClosed):
        await noop.aenqueue()
    with pytest.raises(AppClosed):
        await app.aenqueue_many([noop.request()])


def test_an_app_that_was_never_used_can_be_closed(app: Windlass) -> None:
    """A6: there is nothing to let go of, and nothing goes wrong."""
    app.close()
    with pytest.raises(AppClosed):
        app.jobs()


def test_a_second_close_is_harmless(app: Windlass, new_app: Apps) -> None:
    """A6: as often as one likes; what was stored stays, and the app stays closed."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    for _ in range(3):
        app.close()
    with pytest.raises(AppClosed):
        noop.enqueue()
    assert [stored.id for stored in new_app().jobs()] == [job.id]


def test_a_with_block_closes(new_app: Apps) -> None:
    """A6: at its end."""
    with new_app() as app:
        app.counts()
    with pytest.raises(AppClosed):
        app.counts()


def test_running_jobs_are_drained(app: Windlass, new_app: Apps) -> None:
    """A6: close() waits for what runs, and its ending is stored."""
    with gate() as busy:

        @app.task
        def slow() -> str:
            busy.wait()
            return "done"

        job = slow.enqueue()
        app.worker().start()
        busy.await_entered()
        closing = Thread(target=app.close)
        closing.start()
        busy.open()
        closing.join(PATIENCE)
        assert new_app().job(job.id).result(timeout=PATIENCE) == "done"


def test_what_does_not_end_in_time_is_handed_back(app: Windlass, new_app: Apps) -> None:
    """A6: after the limit the job waits again, without a charge, for another worker."""
    with gate() as busy:
        job = _start_and_block(app, busy.wait)
        busy.await_entered()
        app.close(timeout="50ms")
        seen = new_app().job(job.id)
        assert (seen.state, seen.attempt) == (State.PENDING, 0)


def test_an_interrupted_coroutine_is_handed_back(app: Windlass, new_app: Apps) -> None:
    """A6: a coroutine is really stopped, and its job waits again without a charge."""
    stopped: list[str] = []
    with gate() as busy:

        @app.task
        async def for_ever() -> None:
            busy.entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append("stopped")

        job = for_ever.enqueue()
        app.worker().start()
        busy.await_entered()
        app.close(timeout=0)
        seen = new_app().job(job.id)
        assert (seen.state, seen.attempt, stopped) == (State.PENDING, 0, ["stopped"])


def test_close_without_waiting(app: Windlass, new_app: Apps) -> None:
    """A6: wait=False hands back at once, however long the grace time is."""
    with gate() as busy:
        job = _start_and_block(app, busy.wait, grace="1h")
        busy.await_entered()
        before = monotonic()
        app.close(wait=False)
        assert monotonic() - before < PATIENCE
        assert new_app().job(job.id).state is State.PENDING


def test_jobs_that_wait_stay_for_others(app: Windlass, new_app: Apps) -> None:
    """A6: closing one app takes nothing away from the store."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    app.close()
    assert new_app().job(job.id).state is State.PENDING


def test_whoever_waits_for_a_result_hears_of_it(app: Windlass) -> None:
    """A6: a wait under way ends with AppClosed."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    heard: list[BaseException] = []

    def wait() -> None:
        try:
            job.result(timeout=PATIENCE)
        except AppClosed as error:
            heard.append(error)

    waiter = Thread(target=wait)
    waiter.start()
    app.close()
    waiter.join(PATIENCE)
    assert len(heard) == 1


def _start_and_block(app: Windlass, block: Callable[[], None], **worker: Any) -> Job[Any]:
    @app.task
    def slow() -> None:
        block()

    job = slow.enqueue()
    app.worker(**worker).start()
    return job
