"""What a look at the leases costs beside many of them."""

from __future__ import annotations

import redis

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations import queries

MANY = 200


def existence_checks(store: Store) -> int:
    with redis.Redis.from_url(store.place.url) as client:
        return int(client.info("commandstats").get("cmdstat_exists", {}).get("calls", 0))


def test_a_look_does_not_depend_on_how_many_leases_there_are(store: Store) -> None:
    """Each of 64 idle workers was asked for what it holds, several times a second."""
    for _ in range(MANY):
        store.a_worker()
    store.claimed(new_job(), by=store.a_worker())
    before = existence_checks(store)
    assert store.run(queries.next_due(strays=False)).workers == MANY + 1
    assert existence_checks(store) - before < 10
