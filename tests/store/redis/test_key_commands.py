"""What concurrency keys cost that no other job waits for, in commands of the server."""

from __future__ import annotations

import redis

from tests.store.builders import ending, new_job
from tests.store.stores import Store

MANY = 100


def commands(store: Store) -> int:
    with redis.Redis.from_url(store.place.url) as client:
        return sum(int(command["calls"]) for command in client.info("commandstats").values())


def for_a_drain(store: Store, *, keyed: bool) -> int:
    """Commands that claim so many jobs, and end them."""
    store.enqueue(*(new_job(one_of=f"user-{number}" if keyed else None) for number in range(MANY)))
    worker = store.a_worker()
    before = commands(store)
    claimed = worker.take(MANY)
    worker.cycle(endings=[ending(job) for job in claimed])
    return commands(store) - before


def test_a_key_that_none_waits_for_costs_a_few_commands(store: Store) -> None:
    """C3: to be held and given back; nothing is asked about those that wait, nor twice for the limit of a task."""
    assert for_a_drain(store, keyed=True) - for_a_drain(store, keyed=False) < 8 * MANY
