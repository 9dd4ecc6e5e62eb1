"""kill -9: of workers and of producers, at any moment."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from threading import Event
from time import monotonic

import pytest

from tests.faults.kill_points import BEATS, CRASHED, MOMENTS, RUN, costs
from tests.faults.names import HOLD, NOTE, POISON, SUDDEN_POISON
from tests.faults.process import Process, Processes
from tests.leeway import leeway
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Job, State, Windlass

LEASE = 1.0
LONG = "1h"
"""Of a worker whose lease must not end by itself while the machine is busy with other things."""
ALONE = {"lease": "30s", "concurrency": 1}
"""Of a worker that runs one job at a time."""


def test_the_job_of_a_dead_worker_is_run_by_another(app: Windlass, processes: Processes) -> None:
    """A9: pending again within lease + 1 s of the death, charged as a crash, told in the timeline."""
    victim = processes.worker(lease=LEASE, name="victim")
    job = app.enqueue(HOLD)
    victim.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    heir = processes.worker(lease=LEASE, name="heir")
    victim.kill()
    died = monotonic()
    id, run = heir.await_line("began").split()
    took = monotonic() - died
    processes.open_gate(id, int(run))
    assert job.result(timeout=PATIENCE) == int(run)
    assert (job.refresh().attempt, job.record.crashes, job.record.rescues) == (2, 1, 0)
    [rescued] = [entry for entry in job.timeline() if entry.kind == "rescued"]
    assert str(rescued.worker).startswith("victim-worker")
    assert str(rescued.detail["by"]).startswith("heir-worker")
    # One second more than promised: the test shares its machine.
    assert took < leeway(LEASE + 2)


def test_a_dead_worker_shows_what_was_taken_from_it(app: Windlass, processes: Processes) -> None:
    """B9: lost, with the job, and the one who took it."""
    victim = processes.worker(lease=LEASE, name="victim")
    job = app.enqueue(HOLD)
    victim.await_line("began")
    victim.kill()
    heir = processes.worker(name="heir")
    heir.await_line("began")
    [lost] = [view for view in app.workers() if view.state == "lost"]
    assert lost.name.startswith("victim-worker")
    assert [(taken.id, taken.state) for taken in lost.taken] == [(job.id, State.PENDING)]
    assert str(lost.taken[0].by).startswith("heir-worker")


def test_the_jobs_of_a_dead_worker_are_found_by_one_that_starts(app: Windlass, processes: Processes) -> None:
    """A9: found at start-up."""
    victim = processes.worker(lease=LEASE)
    job = app.enqueue(HOLD)
    victim.await_line("began")
    victim.kill()
    heir = processes.worker()
    id, run = heir.await_line("began").split()
    processes.open_gate(id, int(run))
    assert job.result(timeout=PATIENCE) == int(run)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_may_die_at_any_moment(app: Windlass, raw_store: RawStore, processes: Processes, moment: str) -> None:
    """W1, W2, W3, W4, A9: the job is run elsewhere when the lease is over; only a run that the store knew of is
    charged, and an ending is written whole or not at all.
    """
    kind = MOMENTS[moment]
    job = kind.enqueue(app)
    victim = processes.held(moment, lease=LONG, grace=0)
    if kind.after_signal:
        victim.await_line("began")
        eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
        victim.signal(signal.SIGTERM)
    victim.await_line("reached")
    victim.kill()
    raw_store.expire_leases()
    eventually(lambda: app.rescue() or job.refresh().state != State.RUNNING, "it is rescued")
    assert costs(job.refresh()) == kind.left
    raw_store.check()
    heir = processes.worker()
    if kind.task == HOLD:
        id, run = heir.await_line("began").split()
        processes.open_gate(id, int(run))
    job.result(timeout=PATIENCE)
    assert job.refresh().attempt == min(kind.left[0], kind.left[1]) + 1
    assert [entry.kind for entry in job.timeline()].count("completed") == 1


@pytest.mark.parametrize("moment", BEATS)
def test_a_worker_may_die_in_a_heartbeat(app: Windlass, processes: Processes, moment: str) -> None:
    """W4: whether or not the store has heard it."""
    victim = processes.held(moment, lease=LEASE)
    victim.await_line("reached")
    job = app.enqueue(HOLD)
    victim.kill()
    heir = processes.worker()
    id, run = heir.await_line("began").split()
    processes.open_gate(id, int(run))
    assert job.result(timeout=PATIENCE) == int(run)
    eventually(lambda: "lost" in {worker.state for worker in app.workers()}, "the victim is shown as lost")


def test_the_rest_of_a_batch_is_free_again(app: Windlass, raw_store: RawStore, processes: Processes) -> None:
    """W4: a worker dies between the jobs of a batch; what has ended stays, what runs is charged, what waits is not."""
    ended = app.enqueue(NOTE, 1)
    running, waiting = app.enqueue_many([app.request(HOLD), app.request(HOLD)])
    victim = processes.worker(lease=LONG, concurrency=1)
    victim.await_line("began")
    eventually(lambda: running.refresh().started_at is not None, "the run is marked as started")
    victim.kill()
    raw_store.expire_leases()
    eventually(lambda: app.rescue() or running.refresh().state == State.PENDING, "it is rescued")
    assert (ended.refresh().state, costs(ended)) == (State.COMPLETED, RUN)
    assert costs(running.refresh()) == CRASHED
    assert (waiting.refresh().state, waiting.attempt, waiting.record.crashes) == (State.PENDING, 0, 0)


def runs_until_poisoned(app: Windlass, raw_store: RawStore, job: Job[object], new_worker: Callable[[], Process]) -> int:
    """Start workers until the job kills no more; how many it took down. Leases end with their owners, to save time."""
    deaths = 0
    while not job.refresh().done:
        new_worker().exit_code()
        deaths += 1
        raw_store.forget_leases()
        app.rescue()
    return deaths


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("attempts", [4, 1])
def test_a_job_that_kills_its_worker_is_failed_and_its_neighbours_are_not_charged(
    app: Windlass, raw_store: RawStore, processes: Processes, attempts: int
) -> None:
    """A9: three crashes are enough; what was fetched with it but had not started loses no attempt (P1)."""
    before = app.enqueue_many([app.request(NOTE, (number,)) for number in range(60)])
    requests = [app.request(POISON), *(app.request(NOTE, (number,), attempts=attempts) for number in range(50))]
    poison, *neighbours = app.enqueue_many(requests)
    assert runs_until_poisoned(app, raw_store, poison, lambda: processes.doomed_worker(**ALONE)) == 3
    assert (poison.reason, poison.attempt, poison.record.crashes) == ("crashed", 3, 3)
    assert max(job.refresh().record.rescues for job in neighbours) > 0, (
        "no neighbour was in the dead worker's hands, so nothing was proved"
    )
    processes.worker()
    eventually(lambda: app.counts()[State.COMPLETED] == len(before) + len(neighbours), "the neighbours run")
    assert {(job.refresh().attempt, job.record.crashes) for job in neighbours} == {(1, 0)}


def test_a_job_that_kills_its_worker_before_anybody_knows_is_failed_too(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """A9, F3: its first death is uncharged; from then on it is marked before it starts, and falls with the third."""
    job = app.enqueue(SUDDEN_POISON)
    # The mark may be on its way when the job strikes, and must not arrive.
    processes.held("w3 start being recorded", **ALONE).exit_code()
    raw_store.forget_leases()
    app.rescue()
    assert (job.refresh().attempt, job.record.crashes, job.record.rescues) == (0, 0, 1)
    assert runs_until_poisoned(app, raw_store, job, lambda: processes.doomed_worker(**ALONE)) == 2
    assert (job.reason, job.record.crashes, job.record.rescues) == ("crashed", 2, 1)
    assert [entry.kind for entry in job.timeline()].count("rescued") == 3


def test_every_enqueue_that_returned_is_there(app: Windlass, processes: Processes) -> None:
    """A17: kill -9 of a producer in a loop loses nothing that it was told to have."""
    returned: list[str] = []
    for round in range(4):
        producer = processes.start("producer", "1")
        returned += [producer.await_line("returned") for _ in range(5 + 20 * round)]
        producer.kill()
        returned += [line.removeprefix("returned ") for line in producer.rest() if line.startswith("returned ")]
    assert all(app.job(id).state == State.PENDING for id in returned)
    # The last call of each round may have been committed without its answer.
    assert len(returned) <= app.counts()[State.PENDING] <= len(returned) + 4


def test_a_bulk_that_was_killed_is_there_whole_or_not_at_all(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """B4: all or none, also when the process is killed during the call."""
    size, pause = 3_000, Event()
    killed_in_a_call = 0
    for round in range(6):
        producer = processes.start("producer", str(size))
        producer.await_line("calling 1")
        pause.wait(0.01 * round)  # not to wait for anything: to hit another moment of the call each time
        producer.kill()
        said = Counter(line.split()[0] for line in ["calling", *producer.rest()])
        killed_in_a_call += said["calling"] > said["returned"]
        assert app.counts()[State.PENDING] % size == 0
        raw_store.check()
    assert killed_in_a_call, "no call was under way at any death, so nothing was proved"
