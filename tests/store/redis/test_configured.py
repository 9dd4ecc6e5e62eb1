"""Workers follow the settings of queues every second: what that costs beside many queues."""

from __future__ import annotations

import redis

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queues


def hashes_read(store: Store) -> int:
    with redis.Redis.from_url(store.place.url) as client:
        found = client.info("commandstats")
        return sum(found.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("hmget", "hget", "hgetall"))


def test_queues_without_settings_are_not_looked_at(store: Store) -> None:
    """15 ms of the server for each worker, with 10,000 queues."""
    store.run(queues.ensure([queues.QueueSeed(f"q{number}", None, None) for number in range(2_000)]))
    store.run(queues.change("q7", {"weight": 3}, by="me"))
    worker = store.a_worker()
    worker.control()
    before = hashes_read(store)
    assert worker.control().queues["q7"].weight == 3
    assert hashes_read(store) - before < 20


def test_settings_that_an_older_release_has_left_are_found(store: Store) -> None:
    store.enqueue(new_job(queue="plain"))
    store.run(queues.change("mail", {"weight": 3}, by="me"))
    with redis.Redis.from_url(store.place.url) as client:
        client.delete(f"{{{store.place.namespace}}}:configured")
    worker = store.a_worker()
    assert worker.control().queues["mail"].weight == 3
    store.run(queues.ensure([queues.QueueSeed("mine", None, None)]))
    assert worker.control().queues["mail"].weight == 3


def test_a_queue_that_was_removed_has_no_settings(store: Store) -> None:
    store.run(queues.ensure([queues.QueueSeed("mine", None, None)]))
    store.run(queues.change("mail", {"weight": 3}, by="me"))
    store.run(queues.remove("mail"))
    assert store.a_worker().control().queues == {}


def test_what_an_operator_changed_with_an_older_release_stays(store: Store) -> None:
    """C10: which settings it was is not known, so all of them, also after a pause with this one."""
    store.run(queues.change("mail", {"weight": 9}, by="ada"))
    with redis.Redis.from_url(store.place.url) as client:
        client.hdel(f"{{{store.place.namespace}}}:queue:mail", "decided")
    for _ in range(2):
        store.run(queues.ensure([queues.QueueSeed("mail", 3, 100)]))
        found = store.run(queues.settings("mail"))["mail"]
        assert (found.weight, found.max_length) == (9, None)
        store.run(queues.pause("mail", by="eve", reason=None))
