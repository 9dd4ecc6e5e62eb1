"""mutes: causes of failures that operators have muted."""

from __future__ import annotations

from tests.store.builders import HOUR, SECOND
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass.store.operations.diagnostics.mutes import MuteRecord, mute, mutes, unmute
from windlass.store.operations.upkeep.tidy import tidy_alerts

ODD = 'the bank\'s "gateway" \\ é\n'


def found(store: Store) -> list[MuteRecord]:
    if store.place.url.startswith("redis:"):
        Keyspace(store.place.url, store.place.namespace).check()
    return store.run(mutes())


def muted(store: Store, cause: str, *, lasts: int | None = HOUR, reason: str = "known") -> MuteRecord | None:
    return store.run(mute(cause, lasts=lasts, reason=reason, by="ada"))


def test_a_cause_is_muted_for_a_time(store: Store) -> None:
    """F7: with who, why and until when."""
    saved = muted(store, "abc", reason=ODD)
    assert saved == MuteRecord("abc", store.clock(), "ada", ODD, store.clock() + HOUR)
    assert found(store) == [saved]
    store.advance(HOUR - 1)
    assert found(store) == [saved]
    store.advance(1)
    assert found(store) == []


def test_workers_are_told_what_is_muted(store: Store) -> None:
    """F7: for as long as it is muted."""
    worker = store.a_worker(ttl=10 * HOUR)
    assert worker.control().muted == frozenset()
    muted(store, "abc")
    muted(store, "def", lasts=None)
    assert worker.control().muted == {"abc", "def"}
    store.advance(HOUR)
    assert worker.control().muted == {"def"}


def test_a_mute_takes_the_place_of_an_earlier_one(store: Store) -> None:
    muted(store, "abc", lasts=None)
    store.advance(SECOND)
    later = muted(store, "abc", reason="still")
    assert found(store) == [later]
    assert later is not None
    assert (later.reason, later.ends_at) == ("still", store.clock() + HOUR)


def test_the_oldest_mute_comes_first(store: Store) -> None:
    for cause in ("c", "a", "b"):
        muted(store, cause)
        store.advance(SECOND)
    assert [each.cause for each in found(store)] == ["c", "a", "b"]


def test_a_mute_is_ended(store: Store) -> None:
    """F7: a repeat changes nothing."""
    muted(store, "abc")
    muted(store, "def")
    assert store.run(unmute(["abc", "nothing"])) == ["abc"]
    assert store.run(unmute(["abc"])) == []
    assert [each.cause for each in found(store)] == ["def"]


def test_only_mutes_from_before_an_instant_are_ended(store: Store) -> None:
    """F7: one that an operator begins anew after a deploy stays."""
    muted(store, "old", lasts=None)
    store.advance(SECOND)
    deployed_at = store.clock()
    muted(store, "new", lasts=None)
    assert store.run(unmute(["old", "new"], before=deployed_at)) == ["old"]
    assert [each.cause for each in found(store)] == ["new"]


def test_there_are_only_so_many_mutes(store: Store) -> None:
    """F7: those that are over take no place."""

    def try_to_mute(cause: str) -> bool:
        return store.run(mute(cause, lasts=HOUR, reason="known", by="ada", most=2)) is not None

    assert [try_to_mute(cause) for cause in ("a", "b", "c", "b")] == [True, True, False, True]
    assert [each.cause for each in found(store)] == ["a", "b"]
    store.advance(HOUR)
    assert try_to_mute("c")


def test_mutes_that_are_over_are_removed(store: Store) -> None:
    muted(store, "abc")
    muted(store, "def", lasts=None)
    store.advance(HOUR)
    store.run(tidy_alerts())
    store.advance(-SECOND)
    assert [each.cause for each in found(store)] == ["def"]
