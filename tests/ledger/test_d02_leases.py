"""The lease of a manual claim goes with its job, however that ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.ledger.apps import Apps
from tests.ledger.manual_claims import claimed, declare
from tests.places.raw_store import RawStore
from tests.waiting import eventually
from windlass import ClaimedJob, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def cancelled(one: ClaimedJob) -> None:
    one.job.cancel()
    one.release()


def cancelled_too_late(one: ClaimedJob) -> None:
    one.job.cancel()
    one.complete()


def extended(one: ClaimedJob) -> None:
    one.extend("1h")
    one.complete()


ENDS: dict[str, Callable[[ClaimedJob], None]] = {
    "completed": lambda one: one.complete("done"),
    "completed beside a cancel request": cancelled_too_late,
    "retried": lambda one: one.fail("broken"),
    "retried after a time": lambda one: one.fail("broken", delay="1h"),
    "failed": lambda one: one.discard("broken"),
    "released": lambda one: one.release(),
    "extended, then completed": extended,
    "cancelled": cancelled,
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_an_ending_leaves_no_lease_behind(
    app: Windlass, raw_store: RawStore, end: Callable[[ClaimedJob], None]
) -> None:
    """D2."""
    ended, other = claimed(app), claimed(app)
    assert len(raw_store.leases()) == 2
    end(ended)
    [left] = raw_store.leases()
    assert left.endswith(f":{other.job.record.seq}:{other.fence}")
    other.complete()
    assert raw_store.leases() == []


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_claim_that_ran_out_leaves_no_lease_behind(
    app: Windlass, raw_store: RawStore, clock: ManualClock, attempts: int
) -> None:
    """D2: whether its job is failed by that or waits for another claim."""
    one = claimed(app, lease="1m", attempts=attempts)
    clock.advance("1m")
    app.rescue()
    assert one.job.state is (State.FAILED if attempts == 1 else State.PENDING)
    assert raw_store.leases() == []


def test_a_claim_that_takes_over_leaves_one_lease(app: Windlass, raw_store: RawStore, clock: ManualClock) -> None:
    claimed(app, lease="1m")
    clock.advance("1m")
    [again] = app.claim()
    assert len(raw_store.leases()) == 1
    again.complete()
    assert raw_store.leases() == []


def test_the_lease_of_a_worker_stays(app: Windlass, raw_store: RawStore) -> None:
    """D2: a job that a worker runs may be ended by hand; the worker's other jobs need its lease."""
    with app.worker(queues=["other"]):
        eventually(lambda: len(raw_store.leases()) == 1, "the worker has its lease")
        [lease] = raw_store.leases()
        claimed(app).complete()
        assert raw_store.leases() == [lease]


async def cancelled_claim(app: Windlass, *, ready: Callable[[], None] = lambda: None) -> None:
    """A claim whose caller is cancelled after it was handed to a store thread."""
    claiming = asyncio.create_task(app.aclaim(3))
    await asyncio.sleep(0)
    ready()
    claiming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claiming


def test_a_cancelled_claim_gives_its_jobs_back(app: Windlass, new_app: Apps, raw_store: RawStore) -> None:
    """D5: whether it is cancelled before, while or after the store takes them; closing the app waits for that."""
    jobs = app.tasks[0].enqueue_many([("hello",)] * 3)
    for _ in range(20):
        other = new_app()
        declare(other)
        asyncio.run(cancelled_claim(other))
        other.close()
        assert {(job.refresh().state, job.attempt) for job in jobs} == {(State.PENDING, 0)}
        assert raw_store.leases() == []


def test_a_claim_that_is_cancelled_too_late_gives_its_jobs_back(
    app: Windlass, new_app: Apps, raw_store: RawStore
) -> None:
    """D5: the jobs were taken, and the loop has not heard of it yet."""
    jobs = app.tasks[0].enqueue_many([("hello",)] * 3)
    other = new_app()
    declare(other)

    def taken() -> None:
        eventually(lambda: all(job.refresh().state is State.RUNNING for job in jobs), "they are taken")

    asyncio.run(cancelled_claim(other, ready=taken))
    eventually(lambda: all(job.refresh().state is State.PENDING for job in jobs), "they are given back")
    assert {job.attempt for job in jobs} == {0}
    assert raw_store.leases() == []


@pytest.mark.parametrize("is_taken", [True, False], ids=["taken", "on its way"])
@pytest.mark.parametrize("is_async", [True, False], ids=["aclose", "close"])
def test_a_claim_that_hears_of_its_cancel_after_the_app_was_closed_gives_its_jobs_back(
    app: Windlass, new_app: Apps, raw_store: RawStore, is_taken: bool, is_async: bool
) -> None:
    """D5: a caller that does not wait for the task it has cancelled."""
    jobs = app.tasks[0].enqueue_many([("hello",)] * 3)
    other = new_app()
    declare(other)

    async def cancel_and_close() -> None:
        claiming = asyncio.create_task(other.aclaim(3))
        await asyncio.sleep(0)
        if is_taken:
            eventually(lambda: all(job.refresh().state is State.RUNNING for job in jobs), "they are taken")
        claiming.cancel()
        if is_async:
            await other.aclose()
        else:
            other.close()
        with pytest.raises(asyncio.CancelledError):
            await claiming

    asyncio.run(cancel_and_close())
    assert {(job.refresh().state, job.attempt) for job in jobs} == {(State.PENDING, 0)}
    assert raw_store.leases() == []
