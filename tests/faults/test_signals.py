"""SIGTERM and SIGINT: what runs is finished, the rest goes back, the process is gone in time."""

from __future__ import annotations

import signal
from time import monotonic

import pytest

from tests.faults.names import AHOLD, BLOCK_A_THREAD, HOLD, NOTE
from tests.faults.process import Processes
from tests.places.raw_sqlite import RawSqlite
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass

GRACE = 0.5
GONE = 2.0
"""Seconds after the grace time within which a worker is gone."""


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_worker_ends_at_once(app: Windlass, processes: Processes, number: signal.Signals) -> None:
    """B7, W7: exit code 0, and a clean stop disappears at once."""
    worker = processes.worker(grace="1h")
    worker.signal(number)
    worker.ends_within(GONE)
    assert app.workers() == []


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("task", [HOLD, AHOLD], ids=["thread", "async"])
def test_a_job_that_ends_within_the_grace_time_is_finished(app: Windlass, processes: Processes, task: str) -> None:
    """B7, W7: what runs is finished, what waits is left for others."""
    worker = processes.worker(grace="1h", concurrency=1)
    job = app.enqueue(task)
    worker.await_line("began")
    worker.signal(signal.SIGTERM)
    worker.await_line("log stopping")
    waiting = app.enqueue(NOTE, 1)
    processes.open_gate(job.id, 1)
    worker.ends_within(GONE)
    assert (job.refresh().state, job.result(timeout=PATIENCE)) == (State.COMPLETED, 1)
    assert (waiting.refresh().state, waiting.fence) == (State.PENDING, 0)


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("task", [HOLD, AHOLD, BLOCK_A_THREAD], ids=["thread", "async", "to_thread"])
def test_a_job_that_does_not_is_handed_back_uncharged(app: Windlass, processes: Processes, task: str) -> None:
    """B7, W7: exit within grace + 2 s, nothing charged, pending at once."""
    worker = processes.worker(grace=GRACE, lease="1h")
    job = app.enqueue(task)
    worker.await_line("began")
    began = monotonic()
    worker.signal(signal.SIGTERM)
    worker.ends_within(GRACE + GONE)
    assert monotonic() - began >= GRACE
    assert (job.refresh().state, job.attempt, job.record.crashes, job.record.rescues) == (State.PENDING, 0, 0, 0)


def test_jobs_that_were_fetched_ahead_are_pending_while_the_worker_still_drains(
    app: Windlass, processes: Processes
) -> None:
    """B7, W7: unstarted jobs are handed back at once, not after the grace time."""
    requests = [app.request(NOTE, (number,)) for number in range(60)]
    *_, held = app.enqueue_many([*requests, app.request(HOLD)])
    waiting = app.enqueue_many([app.request(NOTE, (number,)) for number in range(50)])
    worker = processes.worker(grace="1h", concurrency=1)
    worker.await_line("began")
    worker.signal(signal.SIGTERM)
    eventually(lambda: all(job.refresh().state == State.PENDING for job in waiting), "the others are free")
    assert held.refresh().state == State.RUNNING
    processes.open_gate(held.id, 1)
    worker.ends_within(GONE)
    assert {job.refresh().attempt for job in waiting} == {0}
    assert held.refresh().state == State.COMPLETED


def test_a_second_signal_stops_now(app: Windlass, processes: Processes) -> None:
    """B7, W7: the grace time is over at once; still nothing is charged."""
    worker = processes.worker(grace="1h", lease="1h")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    worker.signal(signal.SIGTERM)
    worker.await_line("log stopping")
    worker.signal(signal.SIGINT)
    worker.ends_within(GONE)
    assert (job.refresh().state, job.attempt) == (State.PENDING, 0)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("is_busy", [True, False], ids=["busy", "idle"])
def test_a_worker_whose_store_is_locked_ends_all_the_same(
    app: Windlass, file: RawSqlite, processes: Processes, is_busy: bool
) -> None:
    """B7, W7: within grace + 2 s even with the store away; its jobs come back when the lease is over."""
    worker = processes.worker(grace=GRACE, lease="1h")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    if not is_busy:
        processes.open_gate(job.id, 1)
        job.result(timeout=PATIENCE)
    with file.locked():
        worker.signal(signal.SIGTERM)
        worker.ends_within(GRACE + GONE)
    if is_busy:
        file.expire(str(job.refresh().record.lease))
        assert app.rescue()
        assert job.refresh().state == State.PENDING


def test_a_worker_that_was_stopped_hears_of_the_signal_when_it_wakes(app: Windlass, processes: Processes) -> None:
    worker = processes.worker(grace="1h")
    worker.freeze()
    worker.signal(signal.SIGTERM)
    worker.signal(signal.SIGCONT)
    worker.ends_within(GONE)
