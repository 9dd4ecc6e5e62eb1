"""queues.change: settings that are named change, the others stay."""

from __future__ import annotations

import msgspec
import pytest

from tests.manual_clock import START
from tests.store.builders import SECOND, new_job
from tests.store.stores import Store
from windlass.store.driver import DataRejected
from windlass.store.operations import queues
from windlass.store.operations.queues import QueueRecord


def changed(store: Store, changes: dict[str, object], name: str = "mail") -> QueueRecord:
    store.run(queues.change(name, changes, by="operator"))
    return store.run(queues.settings(name))[name]


def decided(found: QueueRecord) -> dict[str, tuple[int, str]]:
    """Each store writes JSON in its own way."""
    assert found.decided is not None
    return msgspec.json.decode(found.decided, type=dict[str, tuple[int, str]])


def test_a_queue_may_be_set_up_before_its_first_job(store: Store) -> None:
    """Who changed it is kept."""
    found = changed(store, {"weight": 3})
    assert decided(found) == {"weight": (START, "operator")}
    expected = QueueRecord("mail", weight=3, changed_at=START, changed_by="operator", decided=found.decided)
    assert found == expected


def test_who_changed_which_setting_and_when_is_kept(store: Store) -> None:
    """C10."""
    changed(store, {"weight": 3, "max_running": 8})
    store.advance(SECOND)
    store.run(queues.change("mail", {"weight": None, "rate": "[1,1000,1]"}, by='"quoted" ünïcode'))
    store.run(queues.pause("mail", by="else", reason=None))
    later = (START + SECOND, '"quoted" ünïcode')
    found = store.run(queues.settings("mail"))["mail"]
    assert decided(found) == {"weight": later, "max_running": (START, "operator"), "rate": later}
    store.run(queues.change("mail", {"weight": None, "max_running": 2}, by="operator", is_decided=False))
    found = store.run(queues.settings("mail"))["mail"]
    assert decided(found) == {"rate": later}
    assert found.max_running == 2
    store.run(queues.change("mail", {"rate": None}, by="operator", is_decided=False))
    assert store.run(queues.settings("mail"))["mail"].decided is None


def test_every_setting_may_be_changed(store: Store) -> None:
    found = changed(store, {"weight": 3, "max_length": 10, "retention": '{"failed":1}', "retry": '{"base":2}'})
    assert (found.weight, found.max_length) == (3, 10)
    assert (found.retention, found.retry) == ('{"failed":1}', '{"base":2}')


def test_what_is_not_named_stays(store: Store) -> None:
    changed(store, {"weight": 3, "max_length": 10})
    store.advance(SECOND)
    found = changed(store, {"weight": 4})
    assert (found.weight, found.max_length, found.changed_at) == (4, 10, START + SECOND)


def test_none_takes_a_setting_back(store: Store) -> None:
    changed(store, {"weight": 3, "max_length": 10})
    found = changed(store, {"max_length": None})
    assert (found.weight, found.max_length) == (3, None)


def test_other_queues_stay(store: Store) -> None:
    store.enqueue(new_job(queue="other"))
    changed(store, {"weight": 3})
    assert store.run(queues.settings("other"))["other"] == QueueRecord("other")


def test_what_is_true_for_all_queues_is_kept_under_a_name_of_its_own(store: Store) -> None:
    assert changed(store, {"retention": "{}"}, queues.ALL).retention == "{}"


def test_a_value_of_the_wrong_kind_is_refused(store: Store) -> None:
    changed(store, {"weight": 3})
    with pytest.raises(DataRejected):
        changed(store, {"weight": "heavy"})
    assert store.run(queues.settings("mail"))["mail"].weight == 3


def test_a_change_may_ask_that_there_was_no_other(store: Store) -> None:
    """Two operators that have read the same settings: the second is told, and changes nothing."""
    assert store.run(queues.change("mail", {"weight": 3}, by="ada", seen=0))
    assert not store.run(queues.change("mail", {"weight": 4}, by="bob", seen=0))
    store.advance(SECOND)
    assert store.run(queues.change("mail", {"weight": 5}, by="bob", seen=START))
    assert not store.run(queues.change("mail", {"weight": 6}, by="ada", seen=START))
    found = store.run(queues.settings("mail"))["mail"]
    assert (found.weight, found.changed_by, found.changed_at) == (5, "bob", START + SECOND)
    assert store.run(queues.change("mail", {"weight": 7}, by="ada"))
