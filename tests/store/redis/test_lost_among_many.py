"""Jobs whose bodies are gone, in a store with many others: what removes their traces holds nobody up."""

from __future__ import annotations

import redis

from tests.places.raw_store import RawStore
from tests.store.builders import HOUR, new_job
from tests.store.cleaning import tidy
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.upkeep.tidy import tidy_leftovers

MANY = 5_000
COUNTED = 50_000
"""So many due jobs are counted anew after a loss."""


def ids(store: Store) -> set[str]:
    with redis.Redis.from_url(store.place.url, decode_responses=True) as client:
        return set(client.hkeys(f"{{{store.place.namespace}}}:ids"))


def test_the_id_of_a_lost_job_is_found_among_many(store: Store) -> None:
    """P5: in steps, each of which looks at a part of them."""
    gone = store.a_job()
    store.enqueue(*(new_job() for _ in range(MANY)))
    RawStore(store.place).remove(gone.id)
    store.a_worker().take(1)
    assert gone.id in ids(store), "nothing leads from the job to it"
    assert store.run(tidy_leftovers()), "not all of them at once"
    store.run(tidy())
    assert gone.id not in ids(store)
    assert len(ids(store)) == MANY
    Keyspace(store.place.url, store.place.namespace).check()


def test_too_many_due_jobs_are_not_counted_anew(store: Store) -> None:
    """P5: nobody else is served meanwhile; a later loss among fewer mends the counter."""
    gone, also = store.a_job(new_job(delay=1)), store.a_job(new_job(delay=2))
    for _ in range(5):
        store.enqueue(*(new_job(delay=HOUR) for _ in range(COUNTED // 5)))
    for job in (gone, also):
        RawStore(store.place).remove(job.id)
    store.advance(1)
    store.run(jobs.promote())
    assert store.run(queries.counts()) == {"default": {State.SCHEDULED: COUNTED + 2}}
    assert [event.detail for event in store.run(queries.notices())] == [
        f'{{"seq":{gone.seq},"queue":null,"was":"scheduled"}}'
    ]
    store.advance(1)
    store.run(jobs.promote())
    assert store.run(queries.counts()) == {"default": {State.SCHEDULED: COUNTED}}
