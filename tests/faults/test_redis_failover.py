"""R3: a replica takes over that was behind, under a real worker."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, records, runs
from tests.faults.names import HOLD, RECORD
from tests.faults.process import Processes
from tests.leeway import leeway
from tests.places.place import ServerPlace
from tests.store.redis.replicated import Replicated, replicated
from tests.waiting import eventually
from windlass import Job, JobNotFound, State, Windlass

RETURN = 10.0
"""Seconds within which everything goes on by itself after the takeover."""


@pytest.fixture
def servers() -> Iterator[Replicated]:
    with replicated() as running:
        yield running


@pytest.fixture
def place(servers: Replicated) -> ServerPlace:
    """At whatever server the sentinel names."""
    return ServerPlace(servers.url, "windlass")


def is_gone(app: Windlass, job: Job[object]) -> bool:
    try:
        app.job(job.id)
    except JobNotFound:
        return True
    return False


def test_a_worker_goes_on_with_what_the_replica_had(servers: Replicated, app: Windlass, processes: Processes) -> None:
    """R3, I2, I3: jobs of which it lacks the end run again, those that it lacks are gone, and nothing ends twice."""
    worker = processes.worker(lease="30s", heartbeat="1s", concurrency=4)
    kept = app.enqueue(HOLD)
    worker.await_line("began")
    eventually(lambda: kept.refresh().started_at is not None, "the run is marked as started")
    app.queue("default").pause()
    claimed, ended = app.enqueue(HOLD), app.enqueue(RECORD, 1)
    servers.catch_up()

    servers.fall_behind()
    app.queue("default").resume()
    worker.await_line(f"began {claimed.id} 1")
    await_all_done([ended])
    lost = app.enqueue(RECORD, 2)
    await_all_done([lost])
    servers.fail_over()

    over = monotonic()
    app.queue("default").resume()  # that got lost as well
    processes.open_gate(kept.id, 1)
    processes.open_gate(claimed.id, 1)  # for both of its runs: fences are counted anew in the new epoch
    later = records(app, 5)
    await_all_done([kept, claimed, ended, *later])
    assert monotonic() - over < leeway(RETURN)
    assert (kept.refresh().state, kept.attempt, kept.record.crashes) == (State.COMPLETED, 1, 0)
    for job in (claimed, ended):
        assert [entry.kind for entry in job.refresh().timeline()].count("completed") == 1
    assert runs(processes.folder)[ended.id] == 2, "its end got lost"
    assert is_gone(app, lost)
    assert_ended_once(later, processes.folder)
    assert app.counts()[State.COMPLETED] == 3 + len(later)
