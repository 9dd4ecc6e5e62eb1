"""audit: who changed what; bounded by number and age."""

from __future__ import annotations

from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.store.operations.access.audit import KEPT_FOR, AuditRecord, audit_entries, record_change
from windlass.store.operations.upkeep.tidy import tidy_access


def change(store: Store, target: str = "mail", count: int = 1) -> None:
    store.run(record_change(who="ada@host", via="cli", action="queues pause", target=target, count=count))


def entries(store: Store, limit: int = 100, before: int | None = None) -> list[AuditRecord]:
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return store.run(audit_entries(limit=limit, before=before))


def test_changes_are_read_back_the_newest_first(store: Store) -> None:
    """B21: audit of who changed what."""
    first = store.clock()
    change(store, "mail")
    store.advance(5)
    change(store, 'odd "name" \\ / \n é 漢 😀', 12_345)
    assert entries(store) == [
        AuditRecord(2, first + 5, "ada@host", "cli", "queues pause", 'odd "name" \\ / \n é 漢 😀', 12_345),
        AuditRecord(1, first, "ada@host", "cli", "queues pause", "mail", 1),
    ]


def test_pages_follow_one_another(store: Store) -> None:
    for target in "abcde":
        change(store, target)
    page = entries(store, limit=2)
    assert [entry.target for entry in page] == ["e", "d"]
    page = entries(store, limit=2, before=page[-1].number)
    assert [entry.target for entry in page] == ["c", "b"]
    assert [entry.target for entry in entries(store, limit=2, before=page[-1].number)] == ["a"]


def test_long_and_broken_texts_are_stored_shortened(store: Store) -> None:
    change(store, "x" * 10_000)
    change(store, "a\0b\ud800")
    broken, long = entries(store)
    assert (len(long.target), long.target[-1]) == (256, "…")
    assert broken.target == "a�b?"


def test_the_oldest_go_by_number(store: Store) -> None:
    """B21: bounded."""
    for target in "abcde":
        store.run(record_change(who="ada", via="cli", action="a", target=target, count=1, most=3))
    while store.run(tidy_access(most=3)):
        pass
    assert [entry.target for entry in entries(store)] == ["e", "d", "c"]


def test_the_oldest_go_by_age(store: Store) -> None:
    change(store, "old")
    store.advance(KEPT_FOR)
    change(store, "new")
    store.run(tidy_access())
    assert [entry.target for entry in entries(store)] == ["new", "old"]
    store.advance(1)
    store.run(tidy_access())
    assert [entry.target for entry in entries(store)] == ["new"]
