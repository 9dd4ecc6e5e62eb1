"""kill -9: of workers and of producers, at any moment."""

from __future__ import annotations

from collections import Counter
from threading import Event
from time import monotonic

import pytest

from tests.faults.names import HOLD, NOTE, POISON, SUDDEN_POISON
from tests.faults.process import Processes
from tests.ledger.apps import PATIENCE, eventually
from tests.worker.file import File
from windlass import Job, State, Windlass

LEASE = 1.0


def test_the_job_of_a_dead_worker_is_run_by_another(app: Windlass, processes: Processes) -> None:
    """A9: pending again within lease + 1 s of the death, charged as a crash, told in the timeline."""
    victim = processes.worker(lease=LEASE, name="victim")
    job = app.enqueue(HOLD)
    victim.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    heir = processes.worker(lease=LEASE, name="heir")
    victim.kill()
    died = monotonic()
    id, fence = heir.await_line("began").split()
    took = monotonic() - died
    processes.open_gate(id, int(fence))
    assert job.result(timeout=PATIENCE) == int(fence)
    assert (job.refresh().attempt, job.record.crashes, job.record.rescues) == (2, 1, 0)
    [rescued] = [entry for entry in job.timeline() if entry.kind == "rescued"]
    assert str(rescued.worker).startswith("victim-worker")
    assert str(rescued.detail["by"]).startswith("heir-worker")
    # One second more than promised: the test shares its machine.
    assert took < LEASE + 2


def test_the_jobs_of_a_dead_worker_are_found_by_one_that_starts(app: Windlass, processes: Processes) -> None:
    """A9: found at start-up."""
    victim = processes.worker(lease=LEASE)
    job = app.enqueue(HOLD)
    victim.await_line("began")
    victim.kill()
    heir = processes.worker(lease=LEASE)
    id, fence = heir.await_line("began").split()
    processes.open_gate(id, int(fence))
    assert job.result(timeout=PATIENCE) == int(fence)


def runs_until_poisoned(app: Windlass, file: File, processes: Processes, job: Job[object]) -> int:
    """Start workers until the job kills no more; how many it took down. Leases end with their owners, to save time."""
    deaths = 0
    while not job.refresh().done:
        worker = processes.worker(lease="30s", concurrency=1)
        worker.exit_code()
        deaths += 1
        file.execute("DELETE FROM windlass_lease")
        app.rescue()
    return deaths


@pytest.mark.parametrize("attempts", [4, 1])
def test_a_job_that_kills_its_worker_is_failed_and_its_neighbours_are_not_charged(
    app: Windlass, file: File, processes: Processes, attempts: int
) -> None:
    """A9: three crashes are enough; what was fetched with it but had not started loses no attempt (P1)."""
    before = app.enqueue_many([app.request(NOTE, (number,)) for number in range(60)])
    requests = [app.request(POISON), *(app.request(NOTE, (number,), attempts=attempts) for number in range(50))]
    poison, *neighbours = app.enqueue_many(requests)
    assert runs_until_poisoned(app, file, processes, poison) == 3
    assert (poison.reason, poison.attempt, poison.record.crashes) == ("crashed", 3, 3)
    assert max(job.refresh().record.rescues for job in neighbours) > 0, (
        "no neighbour was in the dead worker's hands, so nothing was proved"
    )
    processes.worker()
    eventually(lambda: app.counts()[State.COMPLETED] == len(before) + len(neighbours), "the neighbours run")
    assert {(job.refresh().attempt, job.record.crashes) for job in neighbours} == {(1, 0)}


def test_a_job_that_kills_its_worker_before_anybody_knows_is_failed_too(
    app: Windlass, file: File, processes: Processes
) -> None:
    """A9: unmarked, so uncharged; after five such losses it is failed all the same."""
    job = app.enqueue(SUDDEN_POISON)
    assert runs_until_poisoned(app, file, processes, job) == 5
    assert (job.reason, job.attempt, job.record.rescues) == ("crashed", 0, 5)


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


def test_a_bulk_that_was_killed_is_there_whole_or_not_at_all(app: Windlass, file: File, processes: Processes) -> None:
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
        assert file.execute("PRAGMA integrity_check") == [("ok",)]
    assert killed_in_a_call, "no call was under way at any death, so nothing was proved"
