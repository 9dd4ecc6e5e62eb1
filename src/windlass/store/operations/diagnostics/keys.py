"""The keys of a Redis store."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

_SLICES = 20
"""How many parts of all keys of the server one page looks through."""
_LEAST = 100
_MOST = 1000


class StoreKey(Struct, frozen=True, array_like=True):
    """One key."""

    name: str
    """Without the tag that all keys of the store begin with."""
    type: str
    length: int
    """Bytes of a string, else how many members or fields it has."""
    ttl: int
    """In how many milliseconds the server removes it; -1 for a key that stays."""


class KeyPage(Struct, frozen=True):
    """Some keys, in no order, and where the next page begins."""

    keys: list[StoreKey]
    next: str | None


def store_keys(pattern: str, *, limit: int, cursor: str = "0") -> Operation[KeyPage]:
    """About ``limit`` keys that fit a pattern of Redis; a page may be short, or empty, and still have a next one.

    SCAN looks at all keys of the server, so a page ends after so many of them. A key that is there all the time is
    found once at the least.
    """
    found: dict[str, StoreKey] = {}
    slice = min(_MOST, max(_LEAST, limit))
    for _ in range(_SLICES):
        answer = yield Call("store_keys", {"pattern": pattern, "cursor": cursor, "slice": slice}, Lane.READ)
        found |= {key.name: key for key in records(answer["keys"], StoreKey)}
        cursor = str(answer["next"][0][0])
        if cursor == "0" or len(found) >= limit:
            break
    return KeyPage(list(found.values()), None if cursor == "0" else cursor)
