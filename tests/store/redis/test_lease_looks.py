"""What a look at the leases costs beside many of them, and beside many runs."""

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


def whole_hashes_read(store: Store) -> int:
    with redis.Redis.from_url(store.place.url) as client:
        return int(client.info("commandstats").get("cmdstat_hgetall", {}).get("calls", 0))


def test_a_claim_does_not_read_all_runs_of_its_worker(store: Store) -> None:
    """Only a call that is repeated, without requests, has to find what the first one took."""
    store.enqueue(*(new_job() for _ in range(MANY)))
    worker = store.a_worker()
    first = worker.take(MANY - 1)
    before = whole_hashes_read(store)
    assert len(worker.take(1, token="t")) == 1
    assert whole_hashes_read(store) == before
    assert [job.seq for job in worker.cycle(token="t").claimed] == [first[-1].seq + 1]
    assert whole_hashes_read(store) == before + 1
