"""Calls of a worker that are cut on their way: to the server, there, or back."""

from __future__ import annotations

from time import monotonic

import pytest

from tests.faults.job_outcomes import assert_ended_once, await_all_done, await_runs
from tests.faults.names import HOLD, RECORD
from tests.faults.process import Processes
from tests.faults.proxy import Proxy
from tests.ledger.apps import raises
from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from windlass import Job, Windlass

pytestmark = pytest.mark.only_on("postgres", "redis")

POSITIONS = [0, 1, 20, 150, -20, -1, 1 << 20]
"""Bytes of a request after which the connection is cut; the last is: all of them."""
LEASE = "30s"
"""Nobody else can have repaired what the worker itself did not."""


def numbered(app: Windlass, *numbers: int) -> list[Job[object]]:
    return app.enqueue_many([app.request(RECORD, (number,)) for number in numbers])


def test_a_claim_whose_answer_was_lost_is_read_again_by_its_owner(
    app: Windlass, far_processes: Processes, proxy: Proxy
) -> None:
    """S3: the jobs were taken in the worker's name; it runs them, once, as the first attempt."""
    far_processes.worker(lease=LEASE)
    trap = proxy.lose_reply_with(b"7654321")
    jobs = numbered(app, 7654321, 2, 3)
    trap.await_sprung()
    await_all_done(jobs)
    assert_ended_once(jobs, far_processes.folder)
    assert {raises(job.refresh().fence) for job in jobs} == {1}


def test_a_claim_that_was_cut_anywhere_loses_nothing(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """S3: the queue's name is in every request for jobs. What was not carried out is asked for again at once."""
    far_processes.worker(lease=LEASE)
    jobs: list[Job[object]] = []
    took: list[float] = []
    for number, reach in enumerate(POSITIONS):
        trap = proxy.cut_request(b"default", reach=reach)
        jobs += numbered(app, number)
        trap.await_sprung()
        cut = monotonic()
        await_all_done(jobs)
        took.append(monotonic() - cut)
    assert_ended_once(jobs, far_processes.folder)
    # The last of the cuts let the claim through, and the machine may be busy; the next poll is a second away.
    assert sorted(took)[len(took) // 2] < leeway(0.7)


def test_an_ending_that_was_cut_anywhere_is_written_once(app: Windlass, far_processes: Processes, proxy: Proxy) -> None:
    """S3: it is sent again; neither is the work done twice, nor is its own first ending taken for a stranger's."""
    far_processes.worker(lease=LEASE)
    jobs: list[Job[object]] = []
    for number, reach in enumerate(POSITIONS, 7654320):
        trap = proxy.cut_request(f"recorded-{number}".encode(), reach=reach)
        jobs += numbered(app, number)
        trap.await_sprung()
        await_all_done(jobs)
        assert jobs[-1].result(timeout=PATIENCE) == f"recorded-{number}"
    assert_ended_once(jobs, far_processes.folder)


def test_an_ending_whose_answer_was_lost_is_repeated_safely(
    app: Windlass, far_processes: Processes, proxy: Proxy
) -> None:
    """S3: what the first try wrote stays, and the repetition is not refused as a zombie's."""
    far_processes.worker(lease=LEASE)
    trap = proxy.lose_reply_to(b"recorded-7654321")
    jobs = numbered(app, 7654321)
    trap.await_sprung()
    await_all_done(jobs)
    later = numbered(app, 1)
    await_all_done(later)
    assert_ended_once(jobs + later, far_processes.folder)


def test_a_heartbeat_that_was_cut_anywhere_costs_no_lease(
    app: Windlass, far_processes: Processes, proxy: Proxy
) -> None:
    """S3: the worker keeps its lease, and the run that it had."""
    worker = far_processes.worker(lease=leeway(1.5), heartbeat="0.1s")
    job = app.enqueue(HOLD)
    worker.await_line("began")
    eventually(lambda: job.refresh().started_at is not None, "the run is marked as started")
    lease = job.record.lease
    for reach in POSITIONS:
        proxy.cut_request(b"running_count", reach=reach).await_sprung()
        await_beat(app)
    proxy.lose_reply_to(b"running_count").await_sprung()
    await_beat(app)
    assert job.refresh().record.lease == lease
    far_processes.open_gate(job.id, 1)
    assert job.result(timeout=PATIENCE) == 1
    assert (job.refresh().attempt, job.record.crashes, raises(job.fence)) == (1, 0, 1)


def await_beat(app: Windlass) -> None:
    seen = app.workers()[0].seen_at
    eventually(lambda: app.workers()[0].seen_at > seen, "the worker beats")


@pytest.mark.parametrize("gently", [True, False], ids=["FIN", "RST"])
def test_connections_that_are_cut_all_the_time_cost_no_job(
    app: Windlass, far_processes: Processes, proxy: Proxy, gently: bool
) -> None:
    """S3: under load, at whatever each connection is doing."""
    far_processes.worker(lease=LEASE)
    jobs = numbered(app, *range(400))
    for share in range(10, 400, 30):
        await_runs(far_processes.folder, share)
        proxy.cut(gently=gently)
    await_all_done(jobs)
    assert_ended_once(jobs, far_processes.folder)
