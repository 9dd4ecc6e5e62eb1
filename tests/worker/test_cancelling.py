"""Cancelling a job that runs: it is asked to stop, and its ending says how it took that."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from tests.ledger.apps import Apps, gate, until_interrupted
from tests.waiting import PATIENCE, eventually
from tests.worker.prefetched_task import enqueue_behind, learned, teach
from windlass import State, Windlass, current_job


def test_a_coroutine_is_cancelled_where_it_waits(app: Windlass) -> None:
    """A4, B10: within 2 s, by whoever asks; never retried."""
    began, cleaned = Event(), Event()

    @app.task
    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    with app.worker():
        job = wait.enqueue()
        assert began.wait(PATIENCE)
        assert job.cancel(by="anna")
        job.wait(timeout=PATIENCE)
    assert cleaned.is_set()
    assert (job.state, job.attempt) == (State.CANCELLED, 1)
    assert [entry.detail["by"] for entry in job.timeline() if entry.kind == "cancel_requested"] == ["anna"]


def test_a_thread_sees_that_it_is_cancelled_and_stops_at_a_checkpoint(app: Windlass) -> None:
    """A4: job.cancelled and job.checkpoint(); one that looks is not interrupted before it has had time to."""
    began = Event()
    seen: list[bool] = []

    @app.task
    def work() -> None:
        job = current_job()
        assert not job.cancelled
        began.set()
        eventually(lambda: job.cancelled, "the request arrives")
        seen.append(True)
        job.checkpoint()
        seen.append(False)

    with app.worker():
        job = work.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        job.wait(timeout=PATIENCE)
    assert seen == [True]
    assert job.state == State.CANCELLED


def test_a_run_that_returns_all_the_same_has_completed(app: Windlass) -> None:
    """A4: the work is done; the request came too late."""
    began = Event()

    @app.task
    def work() -> str:
        began.set()
        until_interrupted()
        return "done"

    with app.worker():
        job = work.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        assert job.result(timeout=PATIENCE) == "done"


def test_a_run_that_raises_after_the_request_is_cancelled_not_retried(app: Windlass) -> None:
    """A4: raised, interrupted or rescued becomes cancelled."""
    began = Event()

    @app.task
    def work() -> None:
        began.set()
        until_interrupted()
        raise ValueError("on the way out")

    with app.worker():
        job = work.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        job.wait(timeout=PATIENCE)
    assert (job.state, [fault.type for fault in job.errors]) == (State.CANCELLED, ["ValueError"])


def test_a_job_that_waits_in_the_worker_is_cancelled_without_a_run(app: Windlass) -> None:
    """A4: claimed but not started is cancelled at once, uncharged."""
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1) as worker:
            teach(worker, task)
            _, second = enqueue_behind(app, task, ["first", "second"])
            eventually(lambda: worker.status().buffered == 1, "the second is fetched ahead")
            second.cancel()
            second.wait(timeout=PATIENCE)
            first.open()
    assert (second.state, second.attempt) == (State.CANCELLED, 0)
    assert task.ran == ["first"]


def test_a_coroutine_that_was_cancelled_before_its_first_step_gives_its_slot_back(app: Windlass) -> None:
    """B6: a coroutine that never ran a line cannot report its own end; nobody may wait for that."""
    ran: list[str] = []
    with gate() as hog:

        @app.task
        async def block() -> None:
            hog.wait()

        @app.task
        async def note() -> None:
            ran.append(current_job().id)

        with app.worker(concurrency=2) as worker:
            first = block.enqueue()
            hog.await_entered()
            second = note.enqueue()
            eventually(lambda: worker.status().running == 2, "the second is handed to the loop")
            second.cancel()
            eventually(lambda: any(run.stop is not None for run in worker._control.running()), "the request arrives")
            hog.open()
            second.wait(timeout=PATIENCE)
            first.wait(timeout=PATIENCE)
            eventually(lambda: worker.status().running == 0, "both slots are free")
    assert (second.state, second.attempt) == (State.CANCELLED, 0)
    assert ran == []


@pytest.mark.parametrize("is_async", [True, False], ids=["async", "thread"])
def test_a_cancel_of_the_same_process_arrives_at_once(app: Windlass, is_async: bool) -> None:
    """C5: it does not wait for the second in which a worker asks what others want."""
    began, never = Event(), Event()

    @app.task
    async def wait() -> None:
        began.set()
        await asyncio.Event().wait()

    @app.task
    def loop() -> None:
        began.set()
        while not never.wait(0.001):
            pass

    with app.worker() as worker:
        job = (wait if is_async else loop).enqueue()
        assert began.wait(PATIENCE)
        worker._heartbeat._asked += 3600  # it will not ask by itself
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED


@pytest.mark.only_on("postgres", "redis")
def test_servers_pass_a_cancel_on_at_once(app: Windlass, new_app: Apps) -> None:
    """C5: another process is told; should that get lost, it asks within a second."""
    began = Event()

    @app.task
    async def wait() -> None:
        began.set()
        await asyncio.Event().wait()

    with app.worker() as worker:
        job = wait.enqueue()
        assert began.wait(PATIENCE)
        worker._heartbeat._asked += 3600
        new_app().cancel(job.id)
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED


def test_another_process_is_heard_without_news(app: Windlass, new_app: Apps) -> None:
    """C5: within 2 s, whatever the store."""
    began = Event()

    @app.task
    async def wait() -> None:
        began.set()
        await asyncio.Event().wait()

    with app.worker():
        job = wait.enqueue()
        assert began.wait(PATIENCE)
        other = new_app()
        other.client.session._notify_changed = lambda topics: None  # type: ignore[method-assign]  # the news gets lost
        other.cancel(job.id)
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED


def test_a_task_that_looks_for_itself_is_interrupted_a_little_later(app: Windlass) -> None:
    """C5: it has time to stop by itself; one that looks once and never again is interrupted all the same."""
    began, never = Event(), Event()
    looked: list[bool] = []

    @app.task
    def forgetful() -> None:
        looked.append(current_job().cancelled)
        began.set()
        while not never.wait(0.001):
            pass

    with app.worker():
        job = forgetful.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
    assert looked == [False]


def test_a_job_that_finished_first_stays_completed(app: Windlass) -> None:
    """C5: the cancel says so, and changes nothing."""

    @app.task
    def quick() -> str:
        return "done"

    with app.worker():
        job = quick.enqueue()
        job.wait(timeout=PATIENCE)
        assert job.cancel() is False
    assert (job.refresh().state, job.result()) == (State.COMPLETED, "done")


def test_a_coroutine_that_cleans_up_is_left_alone_for_a_while(app: Windlass) -> None:
    """C5: asking again and again does not interrupt it again and again."""
    began, cleaning, cleaned = Event(), Event(), Event()

    @app.task
    async def tidy() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            for _ in range(30):
                await asyncio.sleep(0.01)
            cleaned.set()

    with app.worker():
        job = tidy.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        assert cleaning.wait(PATIENCE)
        job.cancel()
        assert job.wait(timeout=PATIENCE).state is State.CANCELLED
    assert cleaned.is_set()
