"""A schedule whose hash was evicted or deleted by hand is found, and what is left of it goes."""

from __future__ import annotations

import redis

from tests.store.builders import DAY
from tests.store.schedules import TEN, a_schedule, fire_all, leads
from tests.store.stores import Store
from windlass.store.operations.schedules.changes import delete, every_schedule
from windlass.store.operations.schedules.fire import due


def test_a_schedule_whose_data_is_gone(store: Store) -> None:
    lead, gone, kept = leads(store, ttl=DAY), a_schedule(store, name="a").name, a_schedule(store, name="b").name
    store.advance(TEN)
    with redis.Redis.from_url(store.place.url) as client:
        client.delete(f"{{{store.place.namespace}}}:schedule:{gone}")
    seen = store.run(due())
    assert ([record.name for record in seen.schedules], seen.vanished) == ([kept], [gone])
    assert [record.name for record in store.run(every_schedule())] == [kept]
    assert store.run(delete(gone))
    assert store.run(due()).vanished == []
    assert [result.name for result in fire_all(store, lead)] == [kept]
    assert a_schedule(store, name=gone).revision == 1
