"""store_keys: the keys of a store that fit a pattern, page by page."""

from __future__ import annotations

import pytest
import redis

from tests.store.builders import new_job
from tests.store.stores import Store
from windlass.store.operations.diagnostics.keys import StoreKey, store_keys


@pytest.fixture
def jobs(store: Store) -> set[str]:
    store.enqueue(*(new_job() for _ in range(300)))
    return {f"job:{seq}" for seq in range(1, 301)}


def keys_like(store: Store, pattern: str) -> dict[str, StoreKey]:
    """All keys that fit, by name."""
    found: dict[str, StoreKey] = {}
    cursor: str | None = "0"
    while cursor is not None:
        page = store.run(store_keys(pattern, limit=50, cursor=cursor))
        assert len(page.keys) < 300
        found |= {key.name: key for key in page.keys}
        cursor = page.next
    return found


def test_all_keys_are_found_page_by_page(store: Store, jobs: set[str]) -> None:
    """B24: SCAN goes through the whole server, so pages are bounded by what was looked at."""
    assert keys_like(store, "job:*").keys() == jobs


def test_a_key_has_its_type_length_and_time_to_live(store: Store, jobs: set[str]) -> None:
    with redis.Redis.from_url(store.place.url) as client:
        client.set(f"{{{store.place.namespace}}}:foreign", "12345", px=600_000)
    found = keys_like(store, "[ifq][dou]*")
    assert found["ids"] == StoreKey("ids", "hash", 300, -1)
    assert found["queues"] == StoreKey("queues", "set", 1, -1)
    foreign = found["foreign"]
    assert (foreign.type, foreign.length, 0 < foreign.ttl <= 600_000) == ("string", 5, True)
