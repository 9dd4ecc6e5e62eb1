"""oldest: for how long the oldest ready job of each queue has waited, without reading them all."""

from __future__ import annotations

from tests.store.builders import SECOND, new_job
from tests.store.stores import Store
from windlass.store.operations import jobs, queries


def test_the_oldest_of_each_queue_tells_its_wait(store: Store) -> None:
    """B5: oldest per queue."""
    store.enqueue(new_job(), new_job(queue="b"))
    store.advance(SECOND)
    store.enqueue(new_job(), new_job(queue="b"))
    store.advance(SECOND)
    assert store.run(queries.oldest()) == {"default": 2 * SECOND, "b": 2 * SECOND}


def test_a_job_of_a_low_priority_may_be_the_oldest(store: Store) -> None:
    store.enqueue(new_job(priority=-100))
    for priority in (100, 0, 100, 7):
        store.advance(SECOND)
        store.enqueue(new_job(priority=priority))
    assert store.run(queries.oldest()) == {"default": 4 * SECOND}


def test_only_what_is_ready_counts(store: Store) -> None:
    store.enqueue(new_job(delay=5))
    store.claimed()
    store.finished()
    assert store.run(queries.oldest()) == {}


def test_a_delayed_job_waits_from_its_due_time_on(store: Store) -> None:
    store.enqueue(new_job(delay=10 * SECOND))
    store.advance(11 * SECOND)
    store.run(jobs.promote())
    assert store.run(queries.oldest()) == {"default": SECOND}
