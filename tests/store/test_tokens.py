"""tokens: what is stored of a token, and for how long it opens anything."""

from __future__ import annotations

import pytest

from tests.store.builders import DAY, HOUR, MINUTE, SECOND
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.store.operations.access import tokens
from windlass.store.operations.access.tokens import NewToken, TokenRecord
from windlass.store.operations.upkeep.tidy import TOKENS_GONE_FOR, tidy_access


def add(store: Store, name: str = "ci", *, digest: str = "d1", ttl: int | None = None, role: str = "viewer") -> bool:
    return store.run(tokens.add(NewToken(name, digest, role, None, ttl), by="ada@host"))


def listed(store: Store, name: str | None = None) -> list[TokenRecord]:
    found, now = store.run(tokens.tokens(name))
    assert now == store.clock()
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return found


def is_valid(store: Store, digest: str = "d1") -> bool:
    found, now = store.run(tokens.find(digest))
    return found is not None and found.is_valid(now)


def test_a_token_is_found_by_its_digest(store: Store) -> None:
    """B21: the text is stored nowhere."""
    assert store.run(tokens.add(NewToken("w", "d1", "worker", '["a","b"]', HOUR), by="ada@host"))
    now = store.clock()
    expected = TokenRecord("w", "d1", "worker", '["a","b"]', now, "ada@host", now + HOUR)
    assert store.run(tokens.find("d1")) == (expected, now)
    assert store.run(tokens.find("d2")) == (None, now)
    assert listed(store) == [expected]
    assert listed(store, "w") == [expected]
    assert listed(store, "x") == []


def test_a_valid_name_is_taken_and_a_repeat_is_the_same_token(store: Store) -> None:
    assert add(store)
    assert add(store), "repeated after no reply"
    assert not add(store, digest="d2")
    assert [token.digest for token in listed(store)] == ["d1"]


@pytest.mark.parametrize("ends_by", ["revocation", "expiry"])
def test_a_token_that_ended_opens_nothing_and_gives_its_name_away(store: Store, ends_by: str) -> None:
    """B21: expiring, revocable."""
    assert add(store, ttl=HOUR)
    assert is_valid(store)
    if ends_by == "revocation":
        assert store.run(tokens.revoke("ci", by="bob"))
    else:
        store.advance(HOUR)
    assert not is_valid(store)
    assert add(store, digest="d2")
    assert not is_valid(store)
    assert is_valid(store, "d2")
    assert [token.digest for token in listed(store)] == ["d2"]


def test_an_expiry_is_reached_to_the_millisecond(store: Store) -> None:
    add(store, ttl=HOUR)
    store.advance(HOUR - 1)
    assert is_valid(store)
    store.advance(1)
    assert not is_valid(store)


def test_who_revoked_it_first_stays(store: Store) -> None:
    add(store)
    at = store.clock()
    assert store.run(tokens.revoke("ci", by="bob"))
    store.advance(HOUR)
    assert store.run(tokens.revoke("ci", by="eve"))
    [token] = listed(store)
    assert (token.revoked_at, token.revoked_by) == (at, "bob")
    assert not store.run(tokens.revoke("unknown", by="bob"))


def test_a_use_is_noted_at_most_once_a_minute(store: Store) -> None:
    """B21: last used, without a write for each request."""
    add(store)
    first = store.clock()
    store.run(tokens.note_use("d1"))
    store.advance(MINUTE - 1)
    store.run(tokens.note_use("d1"))
    [token] = listed(store)
    assert (token.used_at, token.is_use_due(store.clock())) == (first, False)
    store.advance(1)
    assert token.is_use_due(store.clock())
    store.run(tokens.note_use("d1"))
    assert listed(store)[0].used_at == first + MINUTE
    store.run(tokens.note_use("unknown"))


def test_there_are_only_so_many_tokens(store: Store) -> None:
    new = [NewToken(name, name, "viewer", None, None) for name in "abc"]
    assert [store.run(tokens.add(one, by="ada", most=2)) for one in new] == [True, True, False]
    store.run(tokens.revoke("a", by="bob"))
    again = NewToken("a", "new", "viewer", None, None)
    assert store.run(tokens.add(again, by="ada", most=2)), "in the place of its predecessor"


def test_tokens_that_have_been_gone_for_long_are_removed(store: Store) -> None:
    """B21: bounded."""
    add(store, "revoked", digest="d1")
    add(store, "expired", digest="d2", ttl=SECOND)
    add(store, "valid", digest="d3")
    add(store, "later", digest="d4", ttl=TOKENS_GONE_FOR * 2)
    store.run(tokens.revoke("revoked", by="bob"))
    store.advance(TOKENS_GONE_FOR)
    store.run(tidy_access())
    assert [token.name for token in listed(store)] == ["expired", "later", "revoked", "valid"]
    store.advance(2 * SECOND)
    assert not store.run(tidy_access())
    assert [token.name for token in listed(store)] == ["later", "valid"]
    assert store.run(tokens.find("d1"))[0] is None


def test_moved_tokens_do_not_touch_those_that_are_there(store: Store) -> None:
    add(store, "ci", digest="here")
    moved = [
        TokenRecord("ci", "there", "admin", None, 1, "eve"),
        TokenRecord("same", "here", "admin", None, 1, "eve"),
        TokenRecord("w", "d2", "worker", '["a"]', 1, "eve", 2 + DAY, 2, 3, "bob"),
    ]
    for _ in range(2):
        store.run(tokens.import_tokens(moved))
        found = listed(store)
        assert [(token.name, token.digest) for token in found] == [("ci", "here"), ("w", "d2")]
        assert found[1] == moved[2]
