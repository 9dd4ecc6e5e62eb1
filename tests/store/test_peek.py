"""peek: the next jobs of a queue in claim order, without taking them."""

from __future__ import annotations

from tests.store.builders import ids, new_job
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import queries, queues


def test_what_is_seen_is_what_a_claim_takes(store: Store) -> None:
    """B5: peek in claim order without taking."""
    store.enqueue(new_job("a"), new_job("b", priority=1), new_job("c", delay=1), new_job("d", queue="other"))
    seen = store.run(queries.peek("default", limit=10))
    assert ids(seen) == ["b", "a"]
    assert {job.state for job in seen} == {State.PENDING}
    assert ids(store.a_worker().take()) == ids(seen)


def test_at_most_so_many_are_seen(store: Store) -> None:
    store.enqueue(*(new_job(f"{number}") for number in range(5)))
    assert ids(store.run(queries.peek("default", limit=2))) == ["0", "1"]


def test_a_paused_queue_may_be_looked_into(store: Store) -> None:
    store.enqueue(new_job("a"))
    store.run(queues.pause("default", by="me", reason=None))
    assert ids(store.run(queries.peek("default", limit=2))) == ["a"]


def test_an_empty_queue_shows_nothing(store: Store) -> None:
    assert store.run(queries.peek("default", limit=2)) == []
