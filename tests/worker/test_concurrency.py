"""How many jobs run at once: as many as allowed, and never one more."""

from __future__ import annotations

import asyncio
from threading import Barrier, Event, Lock

import pytest

from tests.ledger.apps import gate, raises
from tests.ledger.manual_claims import put_back, stolen
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass, current_job


class Crowd:
    """Counts who is inside."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self.most = 0

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1


@pytest.mark.parametrize("concurrency", [1, 2, 7])
def test_never_more_than_allowed_run_at_once_across_threads_and_coroutines(app: Windlass, concurrency: int) -> None:
    """B6: one limit for sync and async tasks together; with 1, strictly one after another."""
    crowd, pause = Crowd(), Event()

    @app.task
    def plain(number: int) -> None:
        crowd.enter()
        pause.wait(0.001)
        crowd.leave()

    @app.task
    async def coroutine(number: int) -> None:
        crowd.enter()
        await asyncio.sleep(0.001)
        crowd.leave()

    app.enqueue_many(task.request(number) for number in range(60) for task in (plain, coroutine))
    assert app.worker(concurrency=concurrency).run_until_empty() == 120
    assert crowd.most <= concurrency
    assert app.counts()[State.COMPLETED] == 120


def test_all_slots_are_used_by_threads(app: Windlass) -> None:
    """B6: one worker runs many jobs at once."""
    together = Barrier(8)

    @app.task
    def meet(number: int) -> None:
        together.wait(PATIENCE)

    meet.enqueue_many([(number,) for number in range(8)])
    assert app.worker(concurrency=8).run_until_empty() == 8
    assert not together.broken


def test_all_slots_are_used_by_coroutines(app: Windlass) -> None:
    """B6: coroutines share one event loop."""
    arrived: list[asyncio.Event] = []

    @app.task
    async def meet(number: int) -> None:
        arrived.append(asyncio.Event())
        if len(arrived) == 8:
            for event in arrived:
                event.set()
        await asyncio.wait_for(arrived[number].wait(), PATIENCE)

    meet.enqueue_many([(number,) for number in range(8)])
    assert app.worker(concurrency=8).run_until_empty() == 8
    assert app.counts()[State.COMPLETED] == 8


def test_a_slot_that_is_free_is_filled_while_others_are_taken(app: Windlass) -> None:
    with gate() as long:

        @app.task
        def wait() -> None:
            long.wait()

        @app.task
        def quick(number: int) -> None:
            pass

        with app.worker(concurrency=2):
            wait.enqueue()
            long.await_entered()
            for job in quick.enqueue_many([(number,) for number in range(20)]):
                job.result(timeout=PATIENCE)
            long.open()


def test_a_run_that_was_lost_keeps_its_slot_until_it_ends(app: Windlass) -> None:
    """B6: a job that comes back to the worker that still runs it takes a second slot, not the first one's."""
    crowd = Crowd()
    fences: list[int] = []
    with gate() as first, gate() as second:

        @app.task(interrupt=False)  # an interrupt of the run that was lost would keep it from leaving the crowd
        def note() -> None:
            crowd.enter()
            fences.append(current_job().fence)
            (first if len(fences) == 1 else second).wait()
            crowd.leave()

        @app.task
        def other() -> None:
            crowd.enter()
            crowd.leave()

        with app.worker(concurrency=2) as worker:
            job = note.enqueue()
            first.await_entered()
            put_back(stolen(app, job))
            second.await_entered()
            behind = other.enqueue()
            worker.pause()
            worker.resume()
            assert (worker.status().running, behind.refresh().state) == (2, State.PENDING)
            first.open()
            eventually(lambda: worker.status().refused == 1, "the first run's ending is refused")
            second.open()
            behind.result(timeout=PATIENCE)
            job.result(timeout=PATIENCE)
    assert (crowd.most, list(map(raises, fences))) == (2, [1, 3])
    assert job.refresh().attempt == 1
