"""queues.ensure: settings in code count where no operator has changed them."""

from __future__ import annotations

from typing import Any

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


def test_what_code_said_before_is_replaced(store: Store) -> None:
    """The next deploy says something else."""
    ensure(store, "mail", 3, 100)
    assert ensure(store, "mail", 5, 200) == QueueRecord("mail", weight=5, max_length=200)
    assert ensure(store, "mail", None, 300) == QueueRecord("mail", weight=5, max_length=300), "None says nothing"


def test_a_change_of_one_setting_leaves_the_others_to_the_code(store: Store) -> None:
    """C10: before the code has said anything of them, and after."""
    store.run(queues.change("mail", {"weight": 9}, by="operator"))
    found = ensure(store, "mail", 3, 100)
    assert (found.weight, found.max_length) == (9, 100)
    found = ensure(store, "mail", 4, 200)
    assert (found.weight, found.max_length) == (9, 200)


def test_a_pause_leaves_all_settings_to_the_code(store: Store) -> None:
    """C10."""
    store.run(queues.pause("mail", by="operator", reason=None))
    assert ensure(store, "mail", 3, 100).weight == 3
    store.run(queues.pause("mail", by="operator", reason=None, is_paused=False))
    assert ensure(store, "mail", 4, 100).weight == 4


def test_every_setting_may_be_declared(store: Store) -> None:
    """C10: and every one that an operator has changed stays."""
    texts: dict[str, Any] = {
        "rate": "[30,60000,2]",
        "retention": "{}",
        "retry": '{"attempts":9}',
        "cooldown": '{"base":1}',
    }
    said = queues.QueueSeed("mail", weight=3, max_length=10, max_running=8)._replace(**texts)
    store.run(queues.ensure([said]))
    expected = QueueRecord("mail", weight=3, max_length=10, max_running=8, **texts)
    assert store.run(queues.settings("mail"))["mail"] == expected
    changes = {name: None for name in queues.QueueSeed._fields if name != "name"}
    store.run(queues.change("mail", changes, by="operator"))
    store.run(queues.ensure([said]))
    found = store.run(queues.settings("mail"))["mail"]
    assert [getattr(found, name) for name in changes] == [None] * 7


def test_what_is_reset_follows_the_code_again(store: Store) -> None:
    """C10: only what is named."""
    store.run(queues.change("mail", {"weight": 9, "max_length": 90}, by="operator"))
    store.run(queues.change("mail", {"weight": None}, by="operator", is_decided=False))
    found = ensure(store, "mail", 3, 100)
    assert (found.weight, found.max_length) == (3, 90)


def test_a_limit_of_all_queues_is_declared_and_decided_alike(store: Store) -> None:
    """C10, E4: and the jobs that run are counted."""
    worker = store.a_worker()
    store.enqueue(*(new_job() for _ in range(3)))
    assert len(worker.take(1)) == 1
    store.run(queues.ensure([queues.QueueSeed(queues.ALL, max_running=2)]))
    assert len(worker.take()) == 1
    store.run(queues.change(queues.ALL, {"max_running": 1}, by="operator"))
    store.run(queues.ensure([queues.QueueSeed(queues.ALL, max_running=9)]))
    assert worker.take() == []


def test_a_queue_that_only_came_to_be_by_its_first_job_is_set_up(store: Store) -> None:
    """Nobody has set it up yet, so the code's settings hold."""
    store.enqueue(new_job(queue="mail"))
    assert ensure(store, "mail", 3, 100) == QueueRecord("mail", weight=3, max_length=100)
