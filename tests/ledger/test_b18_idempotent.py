"""The same explicit id twice is one job."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest

from tests.ledger.apps import Apps, work
from tests.waiting import PATIENCE
from windlass import IdConflict, Job, State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="charge")
    def charge(amount: int) -> int:
        return amount

    @app.task(name="refund")
    def refund(amount: int) -> int:
        return -amount


def test_the_same_id_twice_is_one_job(app: Windlass) -> None:
    """B18: the second enqueue gets the first one's job."""
    charge = app.tasks[0].options(id="order-7")
    first, second = charge.enqueue(10), charge.enqueue(10)
    assert (first.duplicate, second.duplicate) == (False, True)
    assert (first.id, second.id) == ("order-7", "order-7")
    assert work(app) == 1


@pytest.mark.parametrize("state", ["running", "completed", "failed", "cancelled", "scheduled"])
def test_whatever_has_become_of_it(app: Windlass, state: str) -> None:
    """B18: in any state the id means that job, and enqueueing changes nothing."""
    charge = app.tasks[0].options(id="order-7")
    job = charge.enqueue(10)
    if state == "cancelled":
        job.cancel()
    elif state == "scheduled":
        job.reschedule("1h")
    else:
        [claimed] = app.claim()
        if state == "completed":
            claimed.complete(10)
        elif state == "failed":
            claimed.discard("broken")
    before = job.refresh().record
    again = charge.enqueue(10)
    assert (again.duplicate, again.state) == (True, state)
    assert again.refresh().record == before


def test_other_options_do_not_matter(app: Windlass) -> None:
    """B18: task and arguments make the job; the first one's options stand."""
    app.tasks[0].options(id="order-7", priority=5).enqueue(10)
    again = app.tasks[0].options(id="order-7", priority=-5, queue="other", delay="1h").enqueue(10)
    assert again.duplicate
    assert (again.priority, again.queue) == (5, "default")


@pytest.mark.parametrize(("task", "amount"), [(0, 11), (1, 10)])
def test_another_job_under_the_same_id_is_a_conflict(app: Windlass, task: int, amount: int) -> None:
    """B18: another task or other arguments: IdConflict names the id, nothing is stored."""
    job = app.tasks[0].options(id="order-7").enqueue(10)
    before = job.refresh().record
    with pytest.raises(IdConflict, match="'order-7'"):
        app.tasks[task].options(id="order-7").enqueue(amount)
    assert job.refresh().record == before
    assert len(app.jobs()) == 1


def test_the_same_arguments_written_differently_are_told_apart(app: Windlass) -> None:
    """B18: a keyword is another call than a position, as in the payload; equal keywords in any order are equal."""

    @app.task(name="pair")
    def pair(a: int, b: int) -> None: ...

    pair.options(id="mine").enqueue(a=1, b=2)
    assert pair.options(id="mine").enqueue(b=2, a=1).duplicate
    with pytest.raises(IdConflict):
        pair.options(id="mine").enqueue(1, 2)


def test_twice_in_one_bulk(app: Windlass) -> None:
    """B18: is one job, in both places."""
    charge = app.tasks[0].options(id="order-7")
    jobs = app.enqueue_many([charge.request(10), app.tasks[0].request(1), charge.request(10)])
    assert [job.duplicate for job in jobs] == [False, False, True]
    assert jobs[0] == jobs[2]
    assert len(app.jobs()) == 2


def test_the_id_is_free_after_retention(app: Windlass, clock: ManualClock) -> None:
    """B18: once the old job is gone, the id means a new one."""
    job = app.tasks[0].options(id="order-7").enqueue(10)
    work(app)
    first_seq = job.refresh().record.seq
    clock.advance("8d")
    app.clean()
    again = app.tasks[1].options(id="order-7").enqueue(99)
    assert not again.duplicate
    assert again.record.seq > first_seq
    work(app)
    assert again.result() == -99


def test_the_id_is_free_after_a_delete(app: Windlass) -> None:
    """B18: likewise."""
    app.tasks[0].options(id="order-7").enqueue(10).delete()
    assert not app.tasks[0].options(id="order-7").enqueue(11).duplicate


def test_only_one_of_many_at_once(app: Windlass, new_app: Apps) -> None:
    """B18: threads of two processes enqueue the same id; one job comes of it."""
    together = Barrier(8)
    jobs: list[Job[Any]] = []

    def enqueue(where: Windlass) -> None:
        request = where.request("charge", (10,), id="order-7")
        together.wait(PATIENCE)
        jobs.extend(where.enqueue_many([request]))

    threads = [Thread(target=enqueue, args=(one,)) for one in [app, new_app()] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(job.duplicate for job in jobs) == [False] + [True] * 7
    assert app.counts()[State.PENDING] == 1


@pytest.mark.asyncio
async def test_async_code_is_idempotent_too(app: Windlass) -> None:
    """B18: the same answers."""
    charge = app.tasks[0].options(id="order-7")
    await charge.aenqueue(10)
    assert (await charge.aenqueue(10)).duplicate
    with pytest.raises(IdConflict):
        await charge.aenqueue(11)
