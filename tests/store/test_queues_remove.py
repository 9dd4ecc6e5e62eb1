"""queues.remove: only a queue without jobs goes."""

from __future__ import annotations

import pytest

from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import jobs, queues


def test_an_empty_queue_goes_with_its_settings(store: Store) -> None:
    """B5: delete a queue."""
    store.run(queues.change("mail", {"weight": 3}, by="me"))
    assert store.run(queues.remove("mail"))
    assert store.run(queues.settings()) == {}


@pytest.mark.parametrize("state", sorted(State))
def test_a_queue_with_jobs_stays(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert not store.run(queues.remove(job.queue))
    assert job.queue in store.run(queues.settings())


def test_a_queue_that_was_purged_goes(store: Store) -> None:
    """B5: purge and delete a queue."""
    job = store.a_job()
    store.run(jobs.delete([(job.seq, job.id)]))
    assert store.run(queues.remove("default"))


def test_a_queue_that_is_not_there_is_not_removed(store: Store) -> None:
    assert not store.run(queues.remove("nowhere"))
