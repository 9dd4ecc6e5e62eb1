"""The stores that are measured. A new one is a file here, an entry in ``STORES``, and a column in ``goals.py``."""

from __future__ import annotations

from benchmarks.stores.postgres import PostgresStore
from benchmarks.stores.redis import RedisStore
from benchmarks.stores.sqlite import SqliteStore
from benchmarks.stores.store import Store

STORES: dict[str, Store] = {store.name: store for store in (SqliteStore(), PostgresStore(), RedisStore())}
