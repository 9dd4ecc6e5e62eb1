"""queues.settings: the settings of one queue or all."""

from __future__ import annotations

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queues
from windlass.store.operations.queues import QueueRecord


def test_a_queue_exists_from_its_first_job_on(store: Store) -> None:
    """B5: list queues."""
    assert store.run(queues.settings()) == {}
    store.enqueue(new_job(queue="mail"), new_job(queue="slow", delay=5))
    assert store.run(queues.settings()) == {"mail": QueueRecord("mail"), "slow": QueueRecord("slow")}


def test_one_queue_may_be_asked_for(store: Store) -> None:
    store.enqueue(new_job(queue="mail"), new_job(queue="slow"))
    assert list(store.run(queues.settings("slow"))) == ["slow"]
    assert store.run(queues.settings("nowhere")) == {}


def test_they_come_by_name(store: Store) -> None:
    store.enqueue(*(new_job(queue=queue) for queue in ("b", "c", "a")))
    assert list(store.run(queues.settings())) == ["a", "b", "c"]
