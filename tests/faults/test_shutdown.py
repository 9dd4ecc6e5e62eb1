"""SIGTERM at every moment of a worker's life (W7): gone in time, nothing charged, nothing stuck."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from tests.faults.kill_points import FREE, MOMENTS, RUN, costs
from tests.faults.process import Process, Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, Windlass

GRACE = 0.5
GONE = 2.0
"""Seconds after the grace time within which a worker is gone."""
BEFORE_A_RUN = ["w1 claim sent", "w2 claim committed", "w3 start being recorded"]
AFTER_A_RUN = ["w7 ending sent", "w8 ending committed"]
HANDING_BACK = ["w11 hand-back sent", "w11 hand-back committed"]


def stop_at(worker: Process, processes: Processes) -> None:
    """Send the signal while the worker stands still, and let it go on when it has noticed."""
    worker.await_line("reached")
    worker.signal(signal.SIGTERM)
    worker.await_line("log stopping")
    processes.go_on()


def left_at(moment: str, app: Windlass, processes: Processes) -> Job[Any]:
    """The job of a worker that was stopped at a moment and has ended in time."""
    job = MOMENTS[moment].enqueue(app)
    worker = processes.held(moment, grace="1h", lease="1h")
    stop_at(worker, processes)
    worker.ends_within(GONE)
    return job


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("moment", BEFORE_A_RUN)
def test_what_has_not_begun_is_pending_at_once(app: Windlass, processes: Processes, moment: str) -> None:
    """B7, W7: whether the claim is on its way there, on its way back, or its start is being recorded."""
    job = left_at(moment, app, processes)
    assert (job.refresh().state, costs(job)) == (State.PENDING, FREE)
    assert app.workers() == []


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("moment", AFTER_A_RUN)
def test_what_has_ended_is_written_once(app: Windlass, processes: Processes, moment: str) -> None:
    """B7, W7: a job that is finished stays finished, and has run once."""
    job = left_at(moment, app, processes)
    assert (job.refresh().state, costs(job)) == (State.COMPLETED, RUN)
    assert [entry.kind for entry in job.timeline()].count("completed") == 1
    assert app.workers() == []


def test_what_runs_while_its_start_is_recorded_is_finished(app: Windlass, processes: Processes) -> None:
    """B7, W7."""
    job = MOMENTS["w4 start recorded"].enqueue(app)
    worker = processes.held("w4 start recorded", grace="1h", lease="1h")
    stop_at(worker, processes)
    processes.open_gate(job.id, 1)
    worker.ends_within(GONE)
    assert job.result(timeout=PATIENCE) == 1
    assert costs(job.refresh()) == RUN


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("moment", HANDING_BACK)
def test_a_second_signal_during_the_hand_back_changes_nothing(app: Windlass, processes: Processes, moment: str) -> None:
    """B7, W7."""
    job = MOMENTS[moment].enqueue(app)
    worker = processes.held(moment, grace=0, lease="1h")
    worker.await_line("began")
    worker.signal(signal.SIGTERM)
    worker.await_line("reached")
    worker.signal(signal.SIGINT)
    processes.go_on()
    worker.ends_within(GONE)
    assert (job.refresh().state, costs(job)) == (State.PENDING, FREE)


@pytest.mark.varied_on("postgres")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_store_that_answers_no_more_holds_nobody_up(
    app: Windlass, raw_store: RawStore, processes: Processes, moment: str
) -> None:
    """B7, W7: gone within grace + 2 s although the call never comes back; the job is free when the lease is over."""
    kind = MOMENTS[moment]
    job = kind.enqueue(app)
    worker = processes.held(moment, grace=GRACE, lease="1h", heartbeat="300ms")
    worker.await_line("began" if kind.after_signal else "reached")
    worker.signal(signal.SIGTERM)
    worker.ends_within(GRACE + GONE)
    raw_store.expire_leases()
    eventually(lambda: app.rescue() or job.refresh().state != State.RUNNING, "the job is free")
    # A job whose claim never reached the worker is found astray by its heartbeat, if that beats twice before the end.
    free = (kind.left, FREE) if moment == "w2 claim committed" else (kind.left,)
    assert costs(job.refresh()) in free


def test_a_heartbeat_under_way_holds_nobody_up(app: Windlass, processes: Processes) -> None:
    """B7, W4, W7: what it says or hears is of no importance any more."""
    job = MOMENTS["w4 start recorded"].enqueue(app)
    worker = processes.held("w10 heartbeat sent", grace=GRACE, lease="1h", heartbeat="100ms")
    eventually(lambda: job.refresh().started_at is not None, "the job runs")
    worker.await_line("reached")
    worker.signal(signal.SIGTERM)
    worker.ends_within(GRACE + GONE)
    assert (job.refresh().state, costs(job)) == (State.PENDING, FREE)
