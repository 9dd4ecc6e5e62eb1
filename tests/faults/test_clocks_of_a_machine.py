"""SQLite goes by its machine's clock, which all processes share: what becomes of them when that is stepped, or when one
of them is made to believe in another time.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.clockshim import HOUR, Clocks, ShiftedClock, shifted_clocks, under
from tests.faults.job_outcomes import await_all_done
from tests.faults.names import HOLD
from tests.faults.process import Processes
from tests.waiting import eventually
from windlass import State, Windlass

pytestmark = pytest.mark.only_on("sqlite")

RUNS = range(1, 30)
"""Gates are opened for as many raises of the fence; each rescue and each claim is one."""
BOTH_WAYS = pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["ahead", "behind"])


@pytest.fixture(scope="module")
def clocks() -> Iterator[Clocks]:
    with shifted_clocks() as made:
        yield made


@pytest.fixture
def clock(clocks: Clocks) -> ShiftedClock:
    return clocks()


@BOTH_WAYS
def test_nobody_who_lives_is_declared_dead_when_the_clock_is_stepped(
    app: Windlass, processes: Processes, clock: ShiftedClock, off: int
) -> None:
    """T2, T3: all leases look over, but whoever sees the step waits until the living have renewed theirs."""
    with under(clock):
        workers = [processes.worker(lease=9, concurrency=3) for _ in range(2)]
    jobs = app.enqueue_many([app.request(HOLD) for _ in range(6)])
    eventually(lambda: all(job.refresh().started_at is not None for job in jobs), "all are marked as started")
    clock.step_to(off)
    for worker in workers:
        worker.await_line("log the store's clock was stepped by")
    for job in jobs:
        processes.open_gate(job.id, 1)
    await_all_done(jobs)
    assert {(job.state, job.attempt, job.record.crashes) for job in jobs} == {(State.COMPLETED, 1, 0)}


@BOTH_WAYS
def test_processes_that_disagree_about_the_time_take_jobs_from_each_other_but_nothing_ends_twice(
    app: Windlass, processes: Processes, clock: ShiftedClock, off: int
) -> None:
    """T1: no machine has two clocks; to those who are made to believe so, each other's leases look over."""
    clock.step_to(off)
    with under(clock):
        wrong = processes.worker(lease=30)
    job = app.enqueue(HOLD)
    wrong.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    right = processes.worker(lease=30)
    right.await_line("began")
    for run in RUNS:
        processes.open_gate(job.id, run)
    await_all_done([job])
    kinds = [entry.kind for entry in job.timeline()]
    assert "rescued" in kinds
    assert kinds.count("completed") + kinds.count("failed") == 1
