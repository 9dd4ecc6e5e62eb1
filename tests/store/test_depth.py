"""depth: how many jobs each queue has ready, and how long the oldest has waited."""

from __future__ import annotations

from tests.store.builders import SECOND, new_job
from tests.store.stores import Store
from windlass.store.operations import jobs, queries
from windlass.store.operations.queries import Depth


def test_the_oldest_of_each_queue_tells_its_wait(store: Store) -> None:
    """B5: length (pending) and oldest per queue."""
    store.enqueue(new_job(), new_job(queue="b"))
    store.advance(SECOND)
    store.enqueue(new_job(priority=9))
    store.advance(SECOND)
    assert store.run(queries.depth()) == {
        "default": Depth("default", 2, 2 * SECOND),
        "b": Depth("b", 1, 2 * SECOND),
    }


def test_only_what_is_ready_counts(store: Store) -> None:
    store.enqueue(new_job(delay=5))
    store.claimed()
    store.finished()
    assert store.run(queries.depth()) == {}


def test_a_delayed_job_waits_from_its_due_time_on(store: Store) -> None:
    store.enqueue(new_job(delay=10 * SECOND))
    store.advance(11 * SECOND)
    store.run(jobs.promote())
    assert store.run(queries.depth())["default"].oldest == SECOND
