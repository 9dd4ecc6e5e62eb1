"""Runs that will not stop: asked again, in the end left to themselves, and never silently."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from threading import Event

import pytest

from tests.ledger.apps import Gate, failure_of, gate
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from tests.worker.prefetched_task import enqueue_behind, learned, teach
from windlass import Job, JobInterrupted, State, Windlass

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


@pytest.fixture
def over() -> Iterator[Event]:
    """Set when the test is over; lets go of what was left behind."""
    made = Event()
    yield made
    made.set()


async def deafly(until: Event) -> None:
    """A coroutine that swallows every cancel."""
    while not until.is_set():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.01)


def abandonings(job: Job[None]) -> list[str]:
    """Why its runs were to stop when they were abandoned."""
    return [entry.detail["why"] for entry in job.timeline() if entry.kind == "abandoned"]


def test_a_coroutine_that_swallows_its_cancel_is_asked_again(app: Windlass) -> None:
    """B8: and not abandoned if it stops at last."""
    asked: list[int] = []

    @app.task(timeout=0.05)
    async def deaf() -> None:
        while len(asked) < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                asked.append(len(asked))
        await asyncio.Event().wait()

    with app.worker() as worker:
        assert failure_of(deaf.options(attempts=1).enqueue()).reason == "timeout"
        assert worker.status().abandoned == 0
    assert asked == [0, 1]


def test_a_coroutine_that_will_not_stop_gives_its_slot_away(app: Windlass, over: Event) -> None:
    """B8, W15: counted, noted, replaced; its job is not run again, for it may still be at work."""

    @app.task(timeout=0.05)
    async def deaf() -> None:
        await deafly(over)

    @app.task
    async def echo() -> str:
        return "still here"

    with app.worker(concurrency=1, stop_patience=0.2) as worker:
        job = deaf.enqueue()
        assert failure_of(job).reason == "timeout"
        assert echo.enqueue().result(timeout=PATIENCE) == "still here"
        assert (worker.status().abandoned, worker.status().failed, worker.status().running) == (1, 1, 0)
        eventually(lambda: abandonings(job) == ["its time was over"], "it is noted")
    assert job.refresh().attempt == 1


def test_a_coroutine_that_blocks_its_loop_costs_the_loop(app: Windlass, over: Event) -> None:
    """B8: another takes its place; what waited for the blocked one runs there, uncharged."""
    began = Event()

    @app.task(timeout=0.3)
    async def block() -> None:
        began.set()
        over.wait()

    @app.task
    async def echo() -> str:
        return "still here"

    with app.worker(concurrency=2, stop_patience=1.5) as worker:
        blocking = block.enqueue()
        assert began.wait(PATIENCE)
        waiting = echo.enqueue()
        eventually(lambda: worker.status().running == 2, "the second waits for the loop")
        assert failure_of(blocking).reason == "timeout"
        assert waiting.result(timeout=PATIENCE) == "still here"
        assert worker.status().abandoned == 1
    assert waiting.refresh().attempt == 1


def test_what_an_abandoned_run_gives_is_dropped(app: Windlass) -> None:
    """W15: it was given up; its late success changes nothing and takes nobody's slot."""
    with gate() as stuck:
        ended = Event()

        @app.task(timeout=0.05)
        def hang() -> str:
            with suppress(JobInterrupted):
                stuck.wait()
            ended.set()
            return "too late"

        with app.worker(concurrency=1, stop_patience=0.2) as worker:
            job = hang.enqueue()
            assert failure_of(job).reason == "timeout"
            stuck.open()
            assert ended.wait(PATIENCE)
            eventually(lambda: worker.state == "idle", "nothing runs any more")
            before = worker.status().ended
        assert (job.refresh().state, worker.status().ended) == (State.FAILED, before)


def test_a_cancelled_run_that_does_not_stop_is_reported(
    app: Windlass, over: Event, caplog: pytest.LogCaptureFixture
) -> None:
    """C5: as running and asked to stop at first, then as cancelled but perhaps still at work; in the log as well."""
    began = Event()

    @app.task
    async def deaf() -> None:
        began.set()
        await deafly(over)

    with app.worker(stop_patience=1.5) as worker:
        job = deaf.enqueue()
        assert began.wait(PATIENCE)
        assert job.why() == f"it is running on {worker.name}"
        job.cancel()
        assert job.refresh().state is State.RUNNING
        assert "asked to stop at" in job.why()
        assert "has not stopped yet" in job.why()
        eventually(lambda: job.refresh().state is State.CANCELLED, "the worker goes on without it")
        eventually(lambda: abandonings(job) == ["it was cancelled"], "it is noted")
        assert job.why() == f"it is cancelled, but its run on {worker.name} would not stop and may still be at work"
    assert f"job {job.id}: it was cancelled, and did not stop within 1.5 s" in caplog.text


def test_a_worker_shows_what_it_abandoned(app: Windlass, over: Event) -> None:
    """B8: to everybody."""

    @app.task(timeout=0.05)
    async def deaf() -> None:
        await deafly(over)

    with app.worker(stop_patience=0.1, lease="1s"):
        failure_of(deaf.enqueue())
        eventually(lambda: [seen.info["abandoned"] for seen in app.workers()] == [1], "it is shown")


def test_what_waits_for_the_slot_of_an_abandoned_thread_gets_a_thread(app: Windlass) -> None:
    """B8: a run that was fetched ahead must not wait behind the one that will not stop."""
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1, stop_patience=0.2) as worker:
            teach(worker, task)
            hanging, waiting = enqueue_behind(app, task, ["first", "second"])
            eventually(lambda: worker.status().buffered == 1, "the second is fetched ahead")
            hanging.cancel()
            waiting.wait(timeout=PATIENCE)
            assert worker.status().abandoned == 1
    assert waiting.state is State.COMPLETED


def test_runs_that_end_at_last_do_not_wear_a_worker_out(app: Windlass) -> None:
    """B8: only those that are still at work count."""
    gates = [Gate() for _ in range(4)]

    @app.task(timeout=0.05)
    def hang(number: int) -> None:
        gates[number].wait()

    with app.worker(concurrency=1, stop_patience=0.1) as worker:
        for number, stuck in enumerate(gates):
            failure_of(hang.enqueue(number))
            stuck.open()
            eventually(lambda: worker._dispatcher.stuck_count == 0, "it ends")
        assert (worker.status().abandoned, worker.wants_restart) == (4, False)


def test_a_lost_lease_wears_no_worker_out(app: Windlass, raw_store: RawStore) -> None:
    """A8: threads that wait for something when the store goes away are not to blame."""
    begun: list[None] = []
    with gate() as busy:

        @app.task
        def wait() -> None:
            begun.append(None)
            busy.wait()

        with app.worker(concurrency=4, stop_patience=0.1, lease="1s", duties=False) as worker:
            wait.enqueue_many([(), (), ()])
            eventually(lambda: len(begun) == 3, "they run")  # one that has not begun is released, not abandoned
            app.queue("default").pause()
            raw_store.forget_leases()
            eventually(lambda: worker.status().abandoned == 3, "the worker goes on without them")
            assert not worker.wants_restart
