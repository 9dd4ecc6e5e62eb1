"""waiting: which queues have jobs to claim."""

from __future__ import annotations

import pytest

from tests.store.builders import SECOND, TTL, new_job
from tests.store.stores import Store
from windlass.core.outcome import Interrupted
from windlass.store.operations import jobs, queries, queues

MANY = [f"q{number:04}" for number in range(1_200)]


def waiting(store: Store) -> set[str]:
    """As the store goes through them, which must be what it finds when all are named."""
    found = store.run(queries.waiting())
    assert found == store.run(queries.waiting(["a", "b", "c", "default", *MANY]))
    return set(found)


def test_queues_with_pending_jobs_are_found(store: Store) -> None:
    store.enqueue(new_job(queue="a"), new_job(queue="b"), new_job(queue="b", priority=9))
    assert waiting(store) == {"a", "b"}


def test_an_empty_store_has_none(store: Store) -> None:
    assert waiting(store) == set()


def test_jobs_that_wait_for_their_time_do_not_count_until_it_has_come(store: Store) -> None:
    store.enqueue(new_job(queue="a", delay=SECOND))
    assert waiting(store) == set()
    store.advance(SECOND)
    store.run(jobs.promote())
    assert waiting(store) == {"a"}


def test_a_queue_whose_jobs_were_all_taken_has_none_until_one_comes_back(store: Store) -> None:
    store.enqueue(new_job(), new_job(queue="a"))
    (job,) = store.a_worker().take()
    assert waiting(store) == {"a"}
    store.end(job, Interrupted())
    assert waiting(store) == {"a", "default"}


def test_a_queue_whose_jobs_were_cancelled_has_none(store: Store) -> None:
    store.run(jobs.cancel([store.a_job(new_job(queue="a")).seq], by="me"))
    assert waiting(store) == set()


@pytest.mark.parametrize("paused", ["a", "*"])
def test_a_paused_queue_has_none_until_it_is_resumed(store: Store, paused: str) -> None:
    """B10: nothing is claimed from it, so nobody needs to ask."""
    store.enqueue(new_job(queue="a"))
    store.run(queues.pause(paused, by="me", reason=None))
    assert waiting(store) == set()
    store.run(queues.pause(paused, by="me", reason=None, is_paused=False))
    assert waiting(store) == {"a"}


def test_more_queues_are_found_than_one_call_names(store: Store) -> None:
    store.enqueue(*(new_job(queue=name) for name in MANY))
    assert waiting(store) == set(MANY)


def test_only_those_that_are_named_are_told_of(store: Store) -> None:
    store.enqueue(new_job(queue="a"), new_job(queue="b"))
    assert store.run(queries.waiting(["b", "c"])) == {"b"}


def test_a_queue_that_has_nothing_but_a_suspect_is_found(store: Store) -> None:
    """A9: a job whose worker died waits in a place of its own."""
    store.claimed(new_job(queue="a"))
    store.advance(TTL)
    store.rescue()
    assert waiting(store) == {"a"}
