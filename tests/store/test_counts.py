"""counts: how many jobs stand in which state, by queue."""

from __future__ import annotations

import pytest

from tests.store.builders import new_job
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import queries


@pytest.mark.parametrize("state", sorted(State))
def test_every_state_is_counted(store: Store, state: State) -> None:
    """A5: counts by state."""
    job = a_job_in(store, state)
    assert store.run(queries.counts()) == {job.queue: {state: 1}}


def test_each_queue_is_counted_by_itself(store: Store) -> None:
    """A5: for one queue or all."""
    store.enqueue(new_job(), new_job(delay=1), new_job(queue="b"), new_job(queue="b"))
    store.a_worker().take(1, queue="b")
    assert store.run(queries.counts()) == {
        "default": {State.PENDING: 1, State.SCHEDULED: 1},
        "b": {State.PENDING: 1, State.RUNNING: 1},
    }
    assert store.run(queries.counts("b")) == {"b": {State.PENDING: 1, State.RUNNING: 1}}
    assert store.run(queries.counts("c")) == {}


def test_an_empty_store_counts_nothing(store: Store) -> None:
    assert store.run(queries.counts()) == {}
