"""A worker inside the user's own process."""

from __future__ import annotations

import os
from threading import Event, current_thread, main_thread

import pytest

from tests.ledger.apps import Apps, gate, work
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, State, Windlass


def test_a_with_block_runs_jobs(app: Windlass) -> None:
    """A16: in threads of this process, started and stopped by the block, with no command line."""

    @app.task
    def where() -> list[object]:
        return [os.getpid(), current_thread() is main_thread()]

    with app.worker():
        assert where.enqueue().result(timeout=PATIENCE) == [os.getpid(), False]
    after = where.enqueue()
    assert after.refresh().state is State.PENDING


def test_start_and_stop_from_code(app: Windlass) -> None:
    """A16: without a block; constructing a worker starts nothing, and a second stop is harmless."""

    @app.task
    def noop() -> None: ...

    worker = app.worker()
    job = noop.enqueue()
    assert app.workers() == []
    worker.start()
    assert [seen.name for seen in app.workers()] == [worker.name]
    job.result(timeout=PATIENCE)
    worker.stop()
    worker.stop()
    assert app.workers() == []


def test_a_worker_is_started_once(app: Windlass) -> None:
    """A16: a second start is an error that says what to do."""

    @app.task
    def noop() -> None: ...

    worker = app.worker()
    worker.start()
    with pytest.raises(ConfigError, match="make a new one"):
        worker.start()
    worker.stop()
    with pytest.raises(ConfigError, match="make a new one"):
        worker.start()


def test_run_until_empty(app: Windlass) -> None:
    """A16: runs what is ready, and what that makes ready, then stops; what is due later stays."""

    @app.task(name="count_down")
    def count_down(number: int) -> None:
        if number:
            count_down.enqueue(number - 1)

    count_down.enqueue(3)
    later = count_down.options(delay="1h").enqueue(0)
    assert work(app) == 4
    assert later.refresh().state is State.SCHEDULED
    assert app.workers() == []


def test_run_until_empty_inside_a_block(app: Windlass) -> None:
    """A16: a worker that runs already goes on afterwards."""

    @app.task
    def noop() -> None: ...

    with app.worker() as worker:
        noop.enqueue_many([()] * 5)
        worker.run_until_empty()
        assert app.counts()[State.COMPLETED] == 5
        noop.enqueue().result(timeout=PATIENCE)


def test_pause_and_resume(app: Windlass) -> None:
    """A16: a paused worker claims nothing; what runs goes on."""
    with gate() as busy:

        @app.task
        def slow() -> None:
            busy.wait()

        @app.task
        def noop() -> None: ...

        running = slow.enqueue()
        with app.worker() as worker:
            busy.await_entered()
            worker.pause()
            waiting = noop.enqueue()
            busy.open()
            running.result(timeout=PATIENCE)
            assert worker.status().state == "paused"
            assert waiting.refresh().state is State.PENDING
            worker.resume()
            waiting.result(timeout=PATIENCE)


def test_status(app: Windlass) -> None:
    """A16: what it does at this moment."""
    with gate() as busy:

        @app.task(queue="mail")
        def slow() -> None:
            busy.wait()

        worker = app.worker(concurrency=2)
        assert worker.status().state == "starting"
        with worker:
            slow.enqueue()
            busy.await_entered()
            status = worker.status()
            assert (status.name, status.state, status.running) == (worker.name, "busy", 1)
            assert status.queues == {"default": 1, "mail": 1}
            busy.open()
            eventually(lambda: worker.status().state == "idle", "the worker is idle again")
            assert worker.status().ended == 1


def test_two_workers_in_one_process(app: Windlass, new_app: Apps) -> None:
    """A16: of one app or of two; each job runs once."""
    runs: list[int] = []
    done = Event()

    def note(number: int) -> None:
        runs.append(number)
        if len(runs) == 200:
            done.set()

    other = new_app()
    app.task(name="note")(note)
    other.task(name="note")(note)
    with app.worker(), app.worker(), other.worker():
        app.enqueue_many([app.request("note", (number,)) for number in range(200)])
        assert done.wait(PATIENCE)
    assert sorted(runs) == list(range(200))


def test_a_worker_of_a_closed_app_has_stopped(app: Windlass) -> None:
    """A16: close() stops it."""

    @app.task
    def noop() -> None: ...

    worker = app.worker()
    worker.start()
    app.close()
    worker.stop()
    assert worker.status().state == "draining"
