"""long_runs: which jobs have run for long, by the store's clock; facts: what the store says of itself."""

from __future__ import annotations

from tests.store.builders import HOUR, MINUTE, TTL, new_job
from tests.store.stores import Store
from windlass.store.operations.diagnostics.runs import LongRun, long_runs


def test_the_longest_come_first(store: Store) -> None:
    """B24: stuck jobs."""
    worker = store.a_worker("w", ttl=2 * HOUR)
    store.enqueue(new_job("a", task="t"), new_job("b", task="t"), new_job("c"))
    [first] = worker.take(1)
    worker.mark(first)
    store.advance(MINUTE)
    worker.take(1)
    store.advance(MINUTE)
    worker.take(1)
    assert store.run(long_runs(MINUTE)) == [
        LongRun("a", "t", "default", "w", 2 * MINUTE),
        LongRun("b", "t", "default", "w", MINUTE),
    ]
    assert [run.id for run in store.run(long_runs(0, limit=1))] == ["a"]


def test_what_does_not_run_is_not_among_them(store: Store) -> None:
    store.finished()
    store.manually_claimed(new_job("mine"), ttl=TTL)
    store.a_job(new_job("waits"))
    store.advance(HOUR)
    assert [run.id for run in store.run(long_runs(HOUR))] == ["mine"]
    assert store.run(long_runs(HOUR + 1)) == []


def test_the_store_says_what_decides_what_it_keeps(store: Store) -> None:
    """A17."""
    facts = store.driver.facts()
    wanted = {
        "sqlite": {"version", "schema", "journal_mode", "synchronous"},
        "postgresql": {"server_version", "schema", "fsync", "synchronous_commit", "full_page_writes"},
        "redis": {"redis_version", "aof_enabled", "maxmemory", "maxmemory_policy", "used_memory", "appendfsync"},
    }
    assert wanted[facts["store"]] <= facts.keys()
