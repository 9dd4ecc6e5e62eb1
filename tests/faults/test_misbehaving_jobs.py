"""Jobs that do what no job should, in real workers: each is its own trouble and nobody else's."""

from __future__ import annotations

import json

import pytest

from tests.faults.names import NOTE
from tests.faults.process import Process, Processes
from tests.ledger.apps import failure_of
from tests.waiting import PATIENCE, eventually
from tests.worker.odd_exceptions import ODD
from windlass import PayloadError, State, Windlass


def odd_worker(processes: Processes, **options: object) -> Process:
    process = processes.start("misbehaving", json.dumps(options))
    process.await_line("ready")
    return process


@pytest.mark.only_on("sqlite")
def test_a_blocked_event_loop_keeps_its_lease(app: Windlass, processes: Processes) -> None:
    """W10: for three leases; nobody else runs the job, and the log says who blocks, and where."""
    worker = odd_worker(processes, lease="3s")  # beside other tests a commit alone may take a second
    processes.worker(lease="3s", queues=["elsewhere"])
    job = app.enqueue("blocks", 9.0)
    assert worker.await_line("log task").startswith("'blocks'")
    job.result(timeout=PATIENCE)
    assert (job.refresh().attempt, job.record.crashes, job.record.rescues) == (1, 0, 0)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("task", ["raises", "araises"])
def test_whatever_is_raised_is_a_failed_attempt(app: Windlass, processes: Processes, task: str) -> None:
    """W16: of that job, with what was raised in its history; the process goes on as if nothing were."""
    worker = odd_worker(processes, concurrency=4)
    jobs = app.enqueue_many([app.request(task, (name,), attempts=1, id=name) for name in ODD])
    for job in jobs:
        # Python itself turns it into a RuntimeError where it leaves a coroutine.
        expected = "RuntimeError" if (task, job.id) == ("araises", "StopIteration") else job.id
        assert str(failure_of(job).type).split(".")[-1] == expected
        assert (job.refresh().reason, job.attempt, job.record.crashes) == ("attempts", 1, 0)
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7
    assert [view.name for view in app.workers()] == [job.worker for job in jobs[:1]]
    assert worker.footprint().threads < 30


@pytest.mark.only_on("sqlite")
def test_a_result_that_cannot_be_stored_fails_its_job_at_once(app: Windlass, processes: Processes) -> None:
    """P2: the code has run, so it does not run again; the message says what is wrong with it."""
    odd_worker(processes)
    words = {
        "a socket": "socket",
        "a cycle": "itself",
        "ten megabytes": "10",
        "no number": "NaN",
        "a million digits": "digits",
    }
    for what, word in words.items():
        job = app.enqueue("gives", what)
        failed = failure_of(job)
        assert (failed.reason, job.refresh().attempt) == ("result", 1), what
        assert word in str(failed.message), what
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7


@pytest.mark.only_on("sqlite")
def test_a_task_that_only_new_workers_know_waits_for_one(app: Windlass, processes: Processes) -> None:
    """P4: in the middle of a deploy; the old worker goes on with what it knows, and nothing is charged."""
    old = processes.worker(name="old", concurrency=1)
    unknown = app.enqueue_many([app.request("leaf", (number,)) for number in range(5)])
    known = app.enqueue_many([app.request(NOTE, (number,)) for number in range(50)])
    assert [job.result(timeout=PATIENCE) for job in known] == list(range(50))
    assert {str(job.refresh().worker).split("-")[0] for job in known} == {"old"}
    eventually(lambda: all(job.refresh().reason == "unknown_task" for job in unknown), "all were met and left alone")
    old.kill()
    odd_worker(processes, name="new")
    assert [job.result(timeout=PATIENCE) for job in unknown] == list(range(5))
    assert {(job.refresh().attempt, str(job.worker).split("-")[0]) for job in unknown} == {(1, "new")}


@pytest.mark.only_on("sqlite")
def test_one_job_may_become_many(app: Windlass, processes: Processes) -> None:
    """P8: in bulks as large as may be; one that is larger is refused, and the worker keeps its size."""
    worker = odd_worker(processes, queues=["default"])
    app.enqueue("spreads", 10_000).result(timeout=PATIENCE)
    before = worker.footprint().memory
    for _ in range(2):
        app.enqueue("spreads", 10_000).result(timeout=PATIENCE)
    assert app.counts(queue="leaves")[State.PENDING] == 30_000
    assert worker.footprint().memory < before + 20e6
    refused = failure_of(app.enqueue_many([app.request("spreads", (10_001,), attempts=1)])[0])
    assert "at most 10,000 jobs at once" in str(refused.message)


@pytest.mark.only_on("sqlite")
def test_a_chain_is_as_long_as_it_likes(app: Windlass, processes: Processes) -> None:
    """P8: each link is a job of its own, so the last is no larger than the first; a cycle is refused when enqueued."""
    odd_worker(processes)
    app.enqueue("follows", 1_000)
    eventually(lambda: app.counts()[State.COMPLETED] == 1_001, "the last link has run")
    assert len(app.job("link-0").record.payload) <= len(app.job("link-999").record.payload)
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(PayloadError):
        app.enqueue("follows", cycle)
