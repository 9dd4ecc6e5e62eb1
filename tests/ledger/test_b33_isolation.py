"""Queues within one worker: caps, and slots that are reserved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ledger.apps import Gate, gate
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, Job, QueueShare, Windlass

HANGING = 8
Shares = dict[str, int | QueueShare]


@pytest.fixture
def hang() -> Iterator[Gate]:
    """Keeps the jobs of queue ``slow`` from ending."""
    with gate() as found:
        yield found


@pytest.fixture(autouse=True)
def _tasks(app: Windlass, hang: Gate) -> None:
    @app.task(name="slow", queue="slow")
    def slow() -> None:
        hang.wait()

    @app.task(name="fast", queue="fast")
    def fast(number: int) -> int:
        return number

    @app.task(name="other", queue="other")
    def other() -> None: ...


def hung(app: Windlass) -> int:
    return app.counts(queue="slow")["running"]


def fast_jobs(app: Windlass, first: int = 0) -> list[Job[int]]:
    return app.enqueue_many([app.request("fast", [number]) for number in range(first, first + 20)])


def test_a_cap_leaves_slots_to_the_others(app: Windlass, hang: Gate) -> None:
    """B33: while the jobs of one queue hang, those of another run as they would without them."""
    app.enqueue_many([app.request("slow")] * HANGING)
    with app.worker({"slow": QueueShare(9, cap=3), "fast": 1}, concurrency=4):
        eventually(lambda: hung(app) == 3, "as many as may hang do")
        for first in (0, 20):
            assert [job.result(timeout=PATIENCE) for job in fast_jobs(app, first)] == [*range(first, first + 20)]
        assert hung(app) == 3
        hang.open()


def test_reserved_slots_are_never_lent(app: Windlass, hang: Gate) -> None:
    """B33: also while the queue that has them is empty."""
    app.enqueue_many([app.request("slow")] * HANGING)
    with app.worker({"slow": 9, "fast": QueueShare(1, reserve=2)}, concurrency=5):
        eventually(lambda: hung(app) == 3, "all slots that are not reserved are taken")
        assert [job.result(timeout=PATIENCE) for job in fast_jobs(app)] == [*range(20)]
        assert hung(app) == 3
        hang.open()


def test_a_queue_may_use_more_than_its_reserve(app: Windlass, hang: Gate) -> None:
    """B33: what no other queue has reserved is shared."""
    app.enqueue_many([app.request("slow")] * HANGING)
    with app.worker({"slow": QueueShare(reserve=1), "fast": QueueShare(reserve=1)}, concurrency=5):
        eventually(lambda: hung(app) == 4, "all but the slot of the other queue are taken")
        assert [job.result(timeout=PATIENCE) for job in fast_jobs(app)] == [*range(20)]
        hang.open()


def test_all_jobs_of_a_capped_queue_run(app: Windlass, hang: Gate) -> None:
    """B33: one after the other, if need be; nothing is forgotten."""
    hang.open()
    app.enqueue_many([app.request("slow")] * HANGING)
    jobs = fast_jobs(app)
    shares: Shares = {"slow": QueueShare(cap=1), "fast": QueueShare(cap=2, reserve=1), "other": 1}
    assert app.worker(shares, concurrency=4).run_until_empty() == HANGING + len(jobs)


def test_a_worker_tells_its_shares(app: Windlass) -> None:
    """B33: to code, and to all who look at the workers."""
    shares: Shares = {"slow": QueueShare(2, cap=3), "fast": QueueShare(1, reserve=1), "other": 4}
    with app.worker(shares, concurrency=5) as worker:
        assert worker.queues == {"slow": 2, "fast": 1, "other": 4}
        assert worker.shares["other"] == QueueShare(4)
        info = app.workers()[0].info
        assert (info["caps"], info["reserves"]) == ({"slow": 3}, {"fast": 1})


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ({"slow": QueueShare(reserve=6)}, "the queues reserve 6 slots, but the worker has 5"),
        ({"slow": QueueShare(reserve=3), "fast": QueueShare(reserve=3)}, "the queues reserve 6 slots"),
        ({"slow": QueueShare(reserve=5), "fast": 1}, "queue 'fast' would never get one"),
    ],
)
def test_reserves_that_do_not_fit_are_refused(app: Windlass, shares: Shares, says: str) -> None:
    """B33: before anything is claimed."""
    with pytest.raises(ConfigError, match=says):
        app.worker(shares, concurrency=5)


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"weight": 0}, "weight"),
        ({"cap": 0}, "cap"),
        ({"cap": 1.5}, "cap"),
        ({"reserve": -1}, "reserve"),
        ({"cap": 1, "reserve": 2}, "reserve is 2, but cap allows only 1"),
    ],
)
def test_a_share_that_makes_no_sense_is_refused(given: dict[str, int], says: str) -> None:
    """B33: the error names the part."""
    with pytest.raises(ConfigError, match=says):
        QueueShare(**given)
