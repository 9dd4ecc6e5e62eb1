"""record_store_events: what happened and belongs to no job; and what rescue leaves there."""

from __future__ import annotations

import msgspec

from tests.store.stores import Store
from windlass.store.operations.events import record_store_events
from windlass.store.operations.queries import EventRecord, notices


def test_notices_are_read_the_newest_first(store: Store) -> None:
    """A12: with the one whom they are about."""
    store.run(record_store_events("taken", [("w1", '{"a":1}'), ("w2", '{"b":"\\"2\\""}')]))
    now = store.clock()
    assert store.run(notices()) == [
        EventRecord(now, "taken", "w2", None, '{"b":"\\"2\\""}'),
        EventRecord(now, "taken", "w1", None, '{"a":1}'),
    ]
    assert [event.worker for event in store.run(notices(1))] == ["w2"]


def test_notices_are_read_back_to_an_age(store: Store) -> None:
    store.run(record_store_events("taken", [("old", "{}")]))
    store.advance(10)
    store.run(record_store_events("taken", [("new", "{}")]))
    assert [event.worker for event in store.run(notices(age=9))] == ["new"]
    assert [event.worker for event in store.run(notices(age=10))] == ["new", "old"]


def test_a_rescue_leaves_word_of_what_the_worker_lost(store: Store) -> None:
    """B9: one notice for each worker; nothing where nothing was taken."""
    job = store.claimed()
    assert store.rescue() == []
    assert store.run(notices()) == []
    store.advance(3_600_000)
    [rescued] = store.rescue()
    [event] = store.run(notices())
    assert (event.kind, event.worker) == ("taken", store.job(job.id).worker)
    assert msgspec.json.decode(event.detail or "")["jobs"] == [{"id": rescued.id, "state": "pending"}]
    assert store.rescue() == []
    assert len(store.run(notices())) == 1
