"""User code that will not stop, or that stops everything else."""

from __future__ import annotations

import signal

import pytest

from tests.faults.names import DEAF, HOLD_THE_INTERPRETER, NOTE
from tests.faults.process import Processes
from tests.ledger.apps import failure_of, raises
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass


@pytest.mark.only_on("sqlite")
def test_an_interpreter_that_is_held_for_three_leases_is_fenced(app: Windlass, processes: Processes) -> None:
    """W11: no thread of the worker can renew; another one takes over, and the job ends once."""
    zombie = processes.worker(lease="1s", name="zombie", concurrency=1)
    job = app.enqueue(HOLD_THE_INTERPRETER, 3.0)
    assert zombie.await_line("began") == f"{job.id} 1"
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    successor = processes.worker(lease="30s", name="successor", concurrency=1)
    processes.open_gate(job.id, 1)
    id, run = successor.await_line("began").split()
    processes.open_gate(id, int(run))
    assert (id, job.result(timeout=PATIENCE)) == (job.id, int(run))

    zombie.await_line("log lease lost")
    eventually(lambda: [entry for entry in job.timeline() if entry.kind == "refused"], "a write was refused")
    [refused] = [entry for entry in job.timeline() if entry.kind == "refused"]
    assert (raises(refused.fence or 0), str(refused.worker).startswith("zombie-worker")) == (1, True)
    assert (job.refresh().state, job.attempt, job.record.crashes) == (State.COMPLETED, 2, 1)
    assert str(job.worker).startswith("successor-worker")
    assert [entry.kind for entry in job.timeline()].count("completed") == 1


def test_a_thread_that_will_not_stop_keeps_nobody_from_working_or_leaving(app: Windlass, processes: Processes) -> None:
    """W15: its slot is free again, and the process ends when it is told to."""
    worker = processes.worker(concurrency=1, stop_patience="200ms", grace="1s")
    job = app.enqueue_many([app.request(DEAF, [], timeout=0.1)])[0]
    assert worker.await_line("began") == f"{job.id} 1"
    failed = failure_of(job)
    assert (failed.type, failed.reason) == ("TimeoutError", "timeout")
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7
    eventually(lambda: "abandoned" in [entry.kind for entry in job.timeline()], "it is noted")
    worker.signal(signal.SIGTERM)
    assert worker.exit_code() == 0
