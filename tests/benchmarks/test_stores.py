"""The stores of the benchmark: durable, and empty for every round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from benchmarks.place import Place
from benchmarks.server import Server
from benchmarks.stores import STORES
from benchmarks.stores import redis as redis_store
from benchmarks.subject import Subject
from tests.benchmarks.conftest import ServerOf
from windlass import State


@pytest.mark.parametrize("store", STORES)
def test_every_place_of_a_round_is_empty_and_its_own(store: str, server_of: ServerOf, tmp_path: Path) -> None:
    kind = STORES[store]
    with kind.fresh(server_of(store), kind.variants[0], tmp_path) as place:
        others = [kind.beside(place, name) for name in ("small", "large")]
        for number, each in enumerate([place, *others]):
            subject = Subject(each)
            subject.app.migrate()
            assert sum(subject.app.counts().values()) == 0
            subject.preload(number + 1)
            assert subject.app.counts()[State.PENDING] == number + 1
            subject.app.close()


def _databases(server: Server, place: Place) -> int:
    with psycopg.connect(server.address) as connection:
        name = place.url.rpartition("/")[2]
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        return len(found.fetchall())


def _keys(server: Server, place: Place) -> int:
    with redis.Redis.from_url(server.address) as client:
        found: Any = client.scan_iter(match=f"*{place.namespace}*", count=1000)
        return len(list(found))


@pytest.mark.parametrize(("store", "stored"), [("postgres", _databases), ("redis", _keys)])
def test_nothing_of_a_round_stays_on_the_server(
    store: str, stored: Callable[[Server, Place], int], server_of: ServerOf, tmp_path: Path
) -> None:
    kind, server = STORES[store], server_of(store)
    with kind.fresh(server, kind.variants[0], tmp_path) as place:
        subject = Subject(place)
        subject.preload(3)
        assert stored(server, place) > 0
        # Not closed yet: a round that was killed leaves its connections behind.
    assert stored(server, place) == 0
    subject.app.close()


@pytest.mark.parametrize("store", STORES)
def test_a_store_says_what_it_runs_on(store: str, server_of: ServerOf) -> None:
    [fact] = STORES[store].facts(server_of(store)).values()
    assert any(character.isdigit() for character in fact)


@pytest.mark.parametrize(
    ("store", "setting"), [("postgres", "synchronous_commit=on"), ("redis", "appendfsync=everysec")]
)
def test_our_own_servers_are_durable(store: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEST_PG_DSN", "TEST_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    with STORES[store].serve(tmp_path) as server:
        [fact] = STORES[store].facts(server).values()
        assert setting in fact
        assert [said for said in STORES[store].warnings(server) if "memory" not in said] == []


@pytest.mark.parametrize("library", [redis_store.JEMALLOC, None], ids=["as-found", "none"])
def test_the_report_names_the_allocator_of_a_redis_and_warns_of_that_of_the_c_library(
    library: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With that one a long run measures how memory gets fragmented."""
    monkeypatch.setattr(redis_store, "JEMALLOC", library)
    kind = STORES["redis"]
    with kind.serve(tmp_path) as server:
        with redis.Redis.from_url(server.address) as client:
            built_with = client.info("memory")["mem_allocator"]
        is_libc = built_with == "libc" and (library is None or server.pid is None)
        assert any("allocator" in warning for warning in kind.warnings(server)) is is_libc
        assert f" with {'libc' if is_libc else 'jemalloc'}" in kind.facts(server)["Redis"]
