"""Executors: started when they are needed, once, however many need them first."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Barrier, Event, Thread

import pytest

from tests.ledger.apps import failure_of, gate
from tests.new_threads import NewThreads
from tests.waiting import PATIENCE, eventually
from windlass import Windlass


@pytest.fixture
def _hasty() -> Iterator[None]:
    """Threads that change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_hasty")
def test_two_who_need_the_event_loop_first_share_one(app: Windlass, new_threads: NewThreads) -> None:
    """The pump, and a thread whose next run is a coroutine."""
    worker = app.worker(["default"])
    together = Barrier(8)

    def need() -> None:
        together.wait(PATIENCE)
        worker._dispatcher.loop.start([])

    threads = [Thread(target=need) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert new_threads.named("windlass-loop") == ["windlass-loop"]
    worker._dispatcher.loop.close()
    eventually(lambda: not new_threads.named("windlass-loop"), "the loop ends")


def test_a_worker_of_plain_functions_has_no_event_loop(app: Windlass, new_threads: NewThreads) -> None:
    @app.task
    def plain() -> list[str]:
        return new_threads.named("windlass-loop")

    with app.worker():
        assert plain.enqueue().result(timeout=PATIENCE) == []


def test_a_function_that_a_coroutine_takes_along_finds_a_thread_although_others_are_busy(app: Windlass) -> None:
    """Each run that has a slot has a thread, whoever handed it over."""
    with gate() as long:

        @app.task
        def wait() -> None:
            long.wait()

        @app.task
        def plain() -> int:
            return 1

        @app.task
        async def coroutine() -> None: ...

        with app.worker(concurrency=2):
            wait.enqueue()
            long.await_entered()
            for _ in range(30):
                coroutine.enqueue()
                assert plain.enqueue().result(timeout=PATIENCE) == 1
            long.open()


def test_threads_end_with_their_worker(app: Windlass, new_threads: NewThreads) -> None:
    @app.task
    def plain(number: int) -> None: ...

    plain.enqueue_many([(number,) for number in range(50)])
    app.worker().run_until_empty()
    eventually(lambda: not new_threads.named("windlass-run"), "the threads end")


def test_to_thread_works_and_its_threads_end_with_the_worker(app: Windlass, new_threads: NewThreads) -> None:
    @app.task
    async def spread(number: int) -> list[int]:
        return await asyncio.gather(*(asyncio.to_thread(lambda other: other * number, other) for other in range(100)))

    @app.task
    async def fail() -> None:
        await asyncio.to_thread(int, "x")

    with app.worker():
        assert spread.enqueue(3).result(timeout=PATIENCE) == [number * 3 for number in range(100)]
        assert failure_of(fail.options(attempts=1).enqueue()).type == "ValueError"
    eventually(lambda: not new_threads.named("windlass-to-thread"), "the threads end")


@pytest.mark.only_on("sqlite")
def test_a_coroutine_that_does_not_stop_is_left_behind_without_an_alarm(
    app: Windlass, caplog: pytest.LogCaptureFixture, new_threads: NewThreads
) -> None:
    """Python would say of each that it was destroyed although it is pending, which is known."""
    began = Event()

    @app.task
    async def stubborn() -> None:
        while True:
            with suppress(asyncio.CancelledError):
                began.set()
                await asyncio.sleep(PATIENCE)

    worker = app.worker(grace=0)
    with worker:
        stubborn.enqueue()
        assert began.wait(PATIENCE)
    eventually(lambda: not new_threads.named("windlass-loop"), "the loop ends")
    app.client.workers.clear()
    del worker
    gc.collect()
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []
