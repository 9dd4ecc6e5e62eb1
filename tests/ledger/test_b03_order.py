"""Which job comes next: weights between queues, priority and then the time of being ready within one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.ledger.apps import work
from windlass import Job, RetryableError, Snooze, Windlass, current_job
from windlass.testing import ManualClock

Order = list[tuple[str, str]]
"""Queue and id of each run, in order."""


@pytest.fixture
def order(app: Windlass) -> Order:
    """What task ``note`` saw."""
    seen: Order = []

    @app.task(name="note")
    def note() -> None:
        job = current_job()
        seen.append((job.queue, job.id))

    return seen


def backlog(app: Windlass, **counts: int) -> None:
    for queue, count in counts.items():
        app.enqueue_many([app.request("note", queue=queue)] * count)


@pytest.mark.only_on("sqlite")
def test_shares_follow_the_weights(app: Windlass, order: Order) -> None:
    """B3: within 3 % over 10,000 claims, and no queue starves meanwhile."""
    weights = {"a": 5, "b": 3, "c": 2}
    backlog(app, a=6000, b=4000, c=3000)
    work(app, queues=weights, concurrency=1)
    first = [queue for queue, _ in order[:10_000]]
    shares = Counter(first)
    for queue, weight in weights.items():
        assert shares[queue] == pytest.approx(1000 * weight, rel=0.03)
    turns = [place for place, queue in enumerate(first) if queue == "c"]
    assert max(later - earlier for earlier, later in pairwise(turns)) < 500


def test_weights_that_an_operator_set_are_followed(app: Windlass, order: Order) -> None:
    """B3: they win over those that the worker was started with."""
    app.queue("b").configure(weight=4)
    backlog(app, a=1200, b=1200)
    work(app, queues={"a": 1, "b": 1}, concurrency=1)
    shares = Counter(queue for queue, _ in order[:1000])
    assert shares["b"] == pytest.approx(800, rel=0.1)


def test_an_empty_queue_gives_its_share_to_the_others(app: Windlass, order: Order) -> None:
    """B3: nobody waits for work that is not there."""
    backlog(app, b=300)
    assert work(app, queues={"a": 1000, "b": 1}, concurrency=1) == 300
    assert {queue for queue, _ in order} == {"b"}


def test_a_light_queue_is_served_beside_a_heavy_one(app: Windlass, order: Order) -> None:
    """B3: a weight of 1 against 500 still gets its turn before the other is empty."""
    backlog(app, heavy=1000, light=2)
    work(app, queues={"heavy": 500, "light": 1}, concurrency=5)
    assert [queue for queue, _ in order].index("light") < 600


def test_priority_is_strict_then_first_in_first_out(app: Windlass, order: Order) -> None:
    """B3: within a queue; higher first, equal ones by when they became ready."""
    note = app.tasks[0]
    jobs = {priority: note.options(priority=priority).enqueue_many([()] * 3) for priority in (0, -100, 9, 100, -1)}
    work(app, concurrency=1)
    expected = [job.id for priority in (100, 9, 0, -1, -100) for job in jobs[priority]]
    assert [id for _, id in order] == expected


def test_a_bulk_keeps_its_order(app: Windlass, order: Order) -> None:
    """B3: jobs of one call are as old as their place in it."""
    jobs = app.tasks[0].enqueue_many([()] * 50)
    work(app, concurrency=1)
    assert [id for _, id in order] == [job.id for job in jobs]


def retried(app: Windlass, clock: ManualClock) -> Job[None]:
    return come_back(app, RetryableError("not yet", delay="1m"))


def snoozed(app: Windlass, clock: ManualClock) -> Job[None]:
    return come_back(app, Snooze("1m"))


def delayed(app: Windlass, clock: ManualClock) -> Job[None]:
    return app.tasks[0].options(delay="1m").enqueue()


def rescued(app: Windlass, clock: ManualClock) -> Job[None]:
    job = app.tasks[0].enqueue()
    app.claim(lease="30s")
    return job


def released(app: Windlass, clock: ManualClock) -> Job[None]:
    job = app.tasks[0].enqueue()
    [claimed] = app.claim(lease="1h")
    claimed.release()
    return job


def come_back(app: Windlass, error: Exception) -> Job[None]:
    """A job that fails on its first run and notes its second."""
    note = app.tasks[0]
    runs: list[int] = []

    @app.task(name="second-run")
    def second_run() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise error
        note()

    job = second_run.enqueue()
    work(app)
    return job


Come = Callable[[Windlass, ManualClock], Job[None]]


def runs_before(app: Windlass, order: Order, clock: ManualClock, come: Come) -> int:
    """How many of four younger jobs run before one that comes back; the fourth is enqueued after it came back."""
    job = come(app, clock)
    app.tasks[0].enqueue_many([()] * 3)
    clock.advance("1m")
    app.promote()
    app.rescue()
    app.tasks[0].enqueue()
    work(app, concurrency=1)
    assert len(order) == 5
    return [id for _, id in order].index(job.id)


@pytest.mark.parametrize("come", [rescued, released])
def test_a_job_that_was_ready_before_keeps_its_place(
    app: Windlass, order: Order, clock: ManualClock, come: Come
) -> None:
    """B3: after a release or a rescue it comes before all that became ready after it."""
    assert runs_before(app, order, clock, come) == 0


@pytest.mark.parametrize("come", [retried, snoozed, delayed])
def test_a_job_that_waited_for_its_time_lines_up_when_that_has_come(
    app: Windlass, order: Order, clock: ManualClock, come: Come
) -> None:
    """B3: behind those that were ready before, and before those that came after."""
    assert runs_before(app, order, clock, come) == 3


def test_manual_claims_come_in_the_same_order(app: Windlass, order: Order) -> None:
    """B3: by priority and time."""
    note = app.tasks[0]
    low, high, other = note.enqueue(), note.options(priority=1).enqueue(), note.enqueue()
    assert [claimed.id for claimed in app.claim(10)] == [high.id, low.id, other.id]
