"""The server's own clock is stepped by an hour while workers run: nothing ends twice, nothing is stuck or lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest

from tests.faults.clockshim import HOUR, ShiftedClock, shifted_clocks, under
from tests.faults.job_outcomes import await_all_done, records
from tests.faults.names import HOLD, NOTE
from tests.faults.nodes import Node, node_of, place_at
from tests.faults.process import Processes
from tests.places.place import ServerPlace
from tests.waiting import eventually
from windlass import Job, State, Windlass
from windlass.store.operations import queries

LEASE = 1.5
LONG = 9.0
"""A lease that leaves a busy machine seconds to renew it before anybody is impatient."""
RUNS = range(1, 30)
"""Gates are opened for as many raises of the fence; each rescue and each claim is one."""


@pytest.fixture(scope="module", params=["postgres", "redis"])
def node_and_clock(request: pytest.FixtureRequest) -> Iterator[tuple[Node, ShiftedClock]]:
    """A server, and the clock that it goes by."""
    with shifted_clocks() as clocks, ExitStack() as running:
        clock = clocks()
        with under(clock):
            node = running.enter_context(node_of(request.param))
        yield node, clock


@pytest.fixture
def clock(node_and_clock: tuple[Node, ShiftedClock]) -> Iterator[ShiftedClock]:
    """The server's clock; right when the test begins."""
    clock = node_and_clock[1]
    yield clock
    clock.step_to(0)


@pytest.fixture
def place(node_and_clock: tuple[Node, ShiftedClock]) -> ServerPlace:
    return place_at(node_and_clock[0])


def held_jobs(app: Windlass, processes: Processes, count: int) -> list[Job[Any]]:
    """Jobs that run on two workers, as the store knows."""
    for _ in range(2):
        processes.worker(lease=LEASE, concurrency=count)
    jobs = app.enqueue_many([app.request(HOLD) for _ in range(count)])
    eventually(lambda: all(job.refresh().started_at is not None for job in jobs), "all are marked as started")
    return jobs


def step(app: Windlass, clock: ShiftedClock, seconds: int) -> None:
    """Step the clock, and wait until the server goes by it: it may read its clock only now and then."""
    before = app.enqueue(NOTE, 0).record.created_at
    clock.step_to(seconds)

    def is_stepped() -> bool:
        return abs(app.enqueue(NOTE, 0).record.created_at - before - seconds * 1000) < 60_000

    eventually(is_stepped, "the server's clock was stepped; otherwise nothing would be proved")


def assert_each_run_is_explained(jobs: list[Job[Any]]) -> None:
    """One ending each; every run beyond the first follows a rescue, which is in the timeline."""
    for job in jobs:
        record = job.refresh().record
        kinds = [entry.kind for entry in job.timeline()]
        assert job.state == State.COMPLETED
        assert kinds.count("completed") == 1
        assert kinds.count("rescued") == record.crashes + record.rescues
        assert job.attempt == 1 + record.crashes


@pytest.mark.parametrize("seconds", [HOUR, -HOUR], ids=["forward", "back"])
def test_jobs_that_run_while_the_clock_is_stepped_end_once(
    app: Windlass, clock: ShiftedClock, processes: Processes, seconds: int
) -> None:
    """T2, T3: all leases look over; who is rescued runs again, and whoever is late with an ending is refused."""
    jobs = held_jobs(app, processes, 6)
    step(app, clock, seconds)
    for job in jobs:
        for run in RUNS:
            processes.open_gate(job.id, run)
    await_all_done(jobs)
    assert_each_run_is_explained(jobs)
    later = records(app, 20)
    await_all_done(later)
    assert_each_run_is_explained(later)
    assert {job.attempt for job in later} == {1}
    eventually(
        lambda: sorted(worker.state for worker in app.workers() if worker.state != "lost") == ["idle", "idle"],
        "both workers are alive",
    )


@pytest.mark.parametrize("seconds", [HOUR, -HOUR], ids=["forward", "back"])
def test_nobody_who_lives_is_declared_dead_after_a_step(
    app: Windlass, clock: ShiftedClock, processes: Processes, seconds: int
) -> None:
    """T2, T3: all leases look over, but whoever sees the step waits until the living have renewed theirs."""
    workers = [processes.worker(lease=LONG, concurrency=6) for _ in range(2)]
    jobs = app.enqueue_many([app.request(HOLD) for _ in range(12)])
    eventually(lambda: all(job.refresh().started_at is not None for job in jobs), "all are marked as started")
    before = {worker.id: worker.seen_at for worker in app.workers()}
    step(app, clock, seconds)
    for worker in workers:
        worker.await_line("log the store's clock was stepped by")
    eventually(
        lambda: all(abs(worker.seen_at - before[worker.id]) > timedelta(minutes=30) for worker in app.workers()),
        "both have renewed their leases by the new time",
    )
    for job in jobs:
        processes.open_gate(job.id, 1)
    await_all_done(jobs)
    assert_each_run_is_explained(jobs)
    assert {job.attempt for job in jobs} == {1}
    steps = [event for event in app.client.session.run(queries.notices()) if event.kind == "stepped"]
    assert len(steps) == 2, "each worker leaves word of it, once"


@pytest.mark.parametrize("seconds", [HOUR, -HOUR], ids=["forward", "back"])
def test_the_job_of_a_dead_worker_is_not_held_by_a_step(
    app: Windlass, clock: ShiftedClock, processes: Processes, seconds: int
) -> None:
    """T2, T3: not for an hour, only for as long as its lease."""
    victim = processes.worker(lease=LEASE, name="victim")
    job = app.enqueue(HOLD)
    victim.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    victim.kill()
    step(app, clock, seconds)
    heir = processes.worker(lease=LEASE, name="heir")
    id, run = heir.await_line("began").split()
    processes.open_gate(id, int(run))
    await_all_done([job])
    assert_each_run_is_explained([job])
    assert (job.attempt, job.record.crashes) == (2, 1)


def test_due_jobs_are_not_lost(app: Windlass, clock: ShiftedClock, processes: Processes) -> None:
    """T2, T3: what is due in half an hour is due at once after a step forward, and is kept by a step back."""
    processes.worker(lease=LEASE)
    soon, later, latest = app.enqueue_many([app.request(NOTE, (1,), delay=delay) for delay in ("30m", "90m", "150m")])
    step(app, clock, -HOUR)
    clock.step_to(HOUR)
    await_all_done([soon])
    clock.step_to(2 * HOUR)
    await_all_done([later])
    assert latest.refresh().state == State.SCHEDULED
    clock.step_to(0)
    assert latest.refresh().state == State.SCHEDULED
    clock.step_to(3 * HOUR)
    await_all_done([latest])
    assert_each_run_is_explained([soon, later, latest])
    assert {job.attempt for job in (soon, later, latest)} == {1}
