"""queues.ensure: settings in code only seed."""

from __future__ import annotations

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queues
from windlass.store.operations.queues import QueueRecord


def ensure(store: Store, name: str, weight: int | None, max_length: int | None) -> QueueRecord:
    store.run(queues.ensure([queues.QueueSeed(name, weight, max_length)]))
    return store.run(queues.settings(name))[name]


def test_a_new_queue_is_set_up(store: Store) -> None:
    """Settings in code seed."""
    assert ensure(store, "mail", 3, 100) == QueueRecord("mail", weight=3, max_length=100)


def test_many_queues_are_set_up_at_once(store: Store) -> None:
    store.run(queues.ensure([queues.QueueSeed("a", 1, None), queues.QueueSeed("b", None, 2)]))
    found = store.run(queues.settings())
    assert (found["a"].weight, found["b"].max_length) == (1, 2)
    store.run(queues.ensure([]))


def test_what_an_operator_has_set_stays(store: Store) -> None:
    """An operator's edits survive deploys."""
    store.run(queues.change("mail", {"weight": 9}, by="operator"))
    assert ensure(store, "mail", 3, None).weight == 9


def test_what_an_operator_has_taken_back_stays_so(store: Store) -> None:
    """An operator's edits survive deploys, also the removal of a limit."""
    ensure(store, "mail", 3, 100)
    store.run(queues.change("mail", {"max_length": None}, by="operator"))
    assert ensure(store, "mail", 3, 100).max_length is None


def test_what_was_seeded_before_stays(store: Store) -> None:
    ensure(store, "mail", 3, 100)
    assert ensure(store, "mail", 5, 200) == QueueRecord("mail", weight=3, max_length=100)


def test_a_queue_that_only_came_to_be_by_its_first_job_is_set_up(store: Store) -> None:
    """Nobody has set it up yet, so the code's settings hold."""
    store.enqueue(new_job(queue="mail"))
    assert ensure(store, "mail", 3, 100) == QueueRecord("mail", weight=3, max_length=100)
