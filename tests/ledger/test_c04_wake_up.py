"""Idle workers start a new job at once; how many milliseconds that takes is for the benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import pytest

from tests.ledger.apps import Apps
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from windlass import Job, Windlass

POLL = 1.0
"""Seconds after which an idle worker looks without being told."""


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop")
    def noop() -> None: ...


def usual(enqueue: Callable[[], Job[object]]) -> float:
    """Seconds from the enqueue to the result, at most times: a busy machine may be slow now and then."""
    times = []
    for _ in range(8):
        before = monotonic()
        enqueue().result(timeout=PATIENCE)
        times.append(monotonic() - before)
    return sorted(times)[4]


def test_a_job_of_this_process_wakes_an_idle_worker(app: Windlass) -> None:
    """C4: far below the poll."""
    with app.worker() as worker:
        eventually(lambda: worker.status().state == "idle", "the worker is idle")
        assert usual(lambda: app.enqueue("noop")) < POLL / 4


def test_a_job_of_another_process_wakes_an_idle_worker(app: Windlass, new_app: Apps) -> None:
    """C4: the store tells."""
    producer = new_app()
    with app.worker():
        assert usual(lambda: producer.enqueue("noop")) < POLL / 4


def test_a_bulk_wakes_too(app: Windlass, new_app: Apps) -> None:
    """C4: all of its jobs are started, however many fit at once, and none of them waits for the poll."""
    producer = new_app()
    with app.worker(concurrency=2):
        assert usual(lambda: producer.enqueue_many([app.request("noop")] * 5)[-1]) < POLL / 4


def test_every_queue_is_looked_into(app: Windlass) -> None:
    """C4: also one that was empty the last time, beside a heavier one that still is."""
    with app.worker(queues={"heavy": 1000, "light": 1}, concurrency=1):
        assert usual(lambda: app.enqueue_many([app.request("noop", queue="light")])[0]) < POLL / 4


def test_a_resumed_queue_wakes(app: Windlass) -> None:
    """C4: what waited through a pause starts at once."""

    def through_a_pause() -> Job[object]:
        app.queue("default").pause()
        job = app.enqueue("noop")
        app.queue("default").resume()
        return job

    with app.worker():
        assert usual(through_a_pause) < POLL / 4


def test_a_lost_wake_up_costs_a_poll(app: Windlass, new_app: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    """C4: news is never needed for correctness; without any the job starts within a second or so."""
    with app.worker() as worker:
        eventually(lambda: worker.status().state == "idle", "the worker is idle")
        monkeypatch.setattr(app.client.session, "_wake_listeners", lambda topic: None)
        before = monotonic()
        job = app.enqueue("noop")
        eventually(lambda: job.refresh().done, "the job ran")
        assert monotonic() - before < leeway(5 * POLL)
