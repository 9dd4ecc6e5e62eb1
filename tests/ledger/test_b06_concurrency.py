"""One worker runs many jobs at once: in threads, on an event loop, in child processes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from threading import Barrier, Lock, Thread, current_thread
from time import monotonic
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, failure_of, gate, work
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import ConfigError, State, Windlass

ONE_SECOND = 1.0
"""After which a worker hands back what it cannot start."""


@pytest.mark.parametrize("concurrency", [None, 1, 3])
def test_functions_run_side_by_side_in_threads(app: Windlass, concurrency: int | None) -> None:
    """B6: as many as the concurrency says, 10 by default."""
    together = Barrier(concurrency or 10)

    @app.task
    def meet() -> str:
        together.wait(PATIENCE)
        return current_thread().name

    jobs = meet.enqueue_many([()] * (concurrency or 10))
    work(app, **({} if concurrency is None else {"concurrency": concurrency}))
    assert len({job.result() for job in jobs}) == (concurrency or 10)


def test_coroutines_run_side_by_side_on_one_loop(app: Windlass) -> None:
    """B6: a hundred of them need one thread."""
    waiting: list[asyncio.Event] = []

    @app.task
    async def meet() -> str:
        waiting.append(asyncio.Event())
        if len(waiting) == 100:
            for event in waiting:
                event.set()
        await waiting[-1].wait()
        return current_thread().name

    jobs = meet.enqueue_many([()] * 100)
    work(app, concurrency=100)
    assert len({job.result() for job in jobs}) == 1


def test_both_kinds_share_the_concurrency(app: Windlass) -> None:
    """B6: functions and coroutines together never exceed it, and fill it."""
    lock, running, most = Lock(), 0, 0

    def enter(step: int) -> None:
        nonlocal running, most
        with lock:
            running += step
            most = max(most, running)

    @app.task
    def sync() -> None:
        enter(1)
        enter(-1)

    @app.task
    async def coroutine() -> None:
        enter(1)
        for _ in range(3):
            await asyncio.sleep(0)
        enter(-1)

    app.enqueue_many([task.request() for task in (sync, coroutine)] * 200)
    assert work(app, concurrency=4) == 400
    assert 1 <= most <= 4


def test_no_more_than_the_concurrency_run_at_once(app: Windlass) -> None:
    """B6: the next one waits until a slot is free."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        slow.enqueue_many([()] * 5)
        with app.worker(concurrency=2) as worker:
            eventually(lambda: worker.status().running == 2, "two run")
            busy.await_entered()
            counts = app.counts()
            assert (counts["running"], counts["pending"]) == (2, 3)
            busy.open()
            worker.run_until_empty()


def test_a_blocked_loop_does_not_hold_functions_up(app: Windlass) -> None:
    """B6: threads, loop and the worker's own duties are apart."""
    with gate() as busy:

        @app.task
        async def blocks_its_loop() -> None:
            busy.wait()

        @app.task
        def noop() -> int:
            return 1

        blocked = blocks_its_loop.enqueue()
        with app.worker():
            busy.await_entered()
            assert noop.enqueue().result(timeout=PATIENCE) == 1
            busy.open()
            blocked.result(timeout=PATIENCE)


def test_busy_threads_do_not_hold_coroutines_up(app: Windlass) -> None:
    """B6: the other way round."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        @app.task
        async def noop() -> int:
            return 1

        slow.enqueue_many([()] * 3)
        with app.worker(concurrency=4) as worker:
            eventually(lambda: worker.status().running == 3, "three run")
            assert noop.enqueue().result(timeout=PATIENCE) == 1
            busy.open()


def test_a_coroutine_may_use_what_a_loop_offers(app: Windlass) -> None:
    """B6: tasks of its own, threads, time limits."""

    @app.task
    async def busy() -> list[int]:
        async def one() -> int:
            return 1

        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            first = group.create_task(one())
            second = group.create_task(asyncio.to_thread(lambda: 2))
        return [first.result(), second.result()]

    job = busy.enqueue()
    work(app)
    assert job.result() == [1, 2]


@pytest.mark.parametrize("concurrency", [0, -1, 1.5, "many", True, 10_001])
def test_a_concurrency_that_makes_no_sense_is_refused(app: Windlass, concurrency: Any) -> None:
    """B6: the error names the bounds."""
    app.task(name="noop")(lambda: None)
    with pytest.raises(ConfigError, match="concurrency must be a whole number from 1"):
        app.worker(concurrency=concurrency)


def test_an_unknown_isolation_is_refused(app: Windlass) -> None:
    """B6: the error names what there is."""
    app.task(isolation="thread")
    with pytest.raises(ConfigError, match="isolation must be"):
        app.task(isolation="container")


def test_the_heartbeat_goes_on_beside_busy_threads(app: Windlass) -> None:
    """B6: user code cannot starve the worker: its lease is renewed while every slot is taken."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        slow.enqueue_many([()] * 2)
        with app.worker(concurrency=2, lease="1s", heartbeat="20ms") as worker:
            busy.await_entered()
            [before] = app.workers()
            spinner = Thread(target=lambda: sum(range(1_000_000)))
            spinner.start()
            eventually(lambda: app.workers()[0].info.get("running_count") == 2, "the heartbeat tells what runs")
            spinner.join()
            assert worker.status().state == "busy"
            assert app.workers()[0].id == before.id
            busy.open()


@pytest.mark.only_on("sqlite")
def test_isolated_functions_run_side_by_side_in_child_processes(app: Windlass, tmp_path: Path) -> None:
    """B6: as many as there are children, each in its own; what they do takes nobody along."""
    isolated(app)
    with app.worker(children=2):
        crashing = enqueue(app, "leave", 3, attempts=1)
        waiting = [enqueue(app, "wait_for", str(tmp_path / name)) for name in ("one", "two")]
        eventually(lambda: all((tmp_path / f"{name}.begun").exists() for name in ("one", "two")), "both run at once")
        for name in ("one", "two"):
            (tmp_path / name).touch()
        assert [job.result(timeout=PATIENCE) for job in waiting] == ["there", "there"]
        assert failure_of(crashing).reason == "crashed"
        assert enqueue(app, "awhere").result(timeout=PATIENCE) != os.getpid()


def test_children_do_not_hold_threads_and_coroutines_up(app: Windlass, tmp_path: Path) -> None:
    """B6: while all children are busy and more jobs of their queue wait for them, other queues find room."""
    isolated(app)

    @app.task
    def here() -> int:
        return os.getpid()

    @app.task
    async def on_the_loop() -> int:
        return os.getpid()

    with app.worker(["default", "heavy"], concurrency=3, children=1):
        busy = [enqueue(app, "wait_for", str(tmp_path / "gate"), queue="heavy") for _ in range(5)]
        eventually((tmp_path / "gate.begun").exists, "one runs")
        assert here.enqueue().result(timeout=PATIENCE) == os.getpid()
        assert on_the_loop.enqueue().result(timeout=PATIENCE) == os.getpid()
        (tmp_path / "gate").touch()
        assert [job.result(timeout=PATIENCE) for job in busy] == ["there"] * 5


@pytest.mark.only_on("sqlite")
def test_long_jobs_in_children_leave_the_slots_to_others(app: Windlass, tmp_path: Path) -> None:
    """B6: however many wait for a child, and although such jobs were short before; others start at once."""
    isolated(app)

    @app.task
    async def on_the_loop() -> int:
        return os.getpid()

    with app.worker(["default", "heavy"], concurrency=10, children=2, lease=LONG_LEASE):
        for job in app.enqueue_many([app.request("echo", [number], queue="heavy") for number in range(50)]):
            job.result(timeout=PATIENCE)
        busy = app.enqueue_many([app.request("wait_for", [str(tmp_path / "gate")], queue="heavy") for _ in range(40)])
        eventually((tmp_path / "gate.begun").exists, "some run")
        began = monotonic()
        for _ in range(20):
            assert on_the_loop.enqueue().result(timeout=PATIENCE) == os.getpid()
        assert monotonic() - began < leeway(20 * ONE_SECOND / 4), "they wait for those before them to be handed back"
        (tmp_path / "gate").touch()
        assert [job.result(timeout=PATIENCE) for job in busy] == ["there"] * 40
    assert {job.refresh().attempt for job in busy} == {1}


def test_last_attempts_that_wait_for_a_child_are_not_marked_as_started(app: Windlass, tmp_path: Path) -> None:
    """B6, A9: whoever is lost with the worker before it had a child is charged nothing."""
    isolated(app)
    with app.worker(concurrency=5, children=1, lease=LONG_LEASE, grace=0):
        request = app.request("wait_for", [str(tmp_path / "gate")], attempts=1)
        jobs = app.enqueue_many([request] * 5)
        eventually((tmp_path / "gate.begun").exists, "one runs")
        eventually(lambda: app.counts()[State.RUNNING] > 1, "others were claimed")
        assert [job.refresh().started_at is not None for job in jobs] == [True, False, False, False, False]
