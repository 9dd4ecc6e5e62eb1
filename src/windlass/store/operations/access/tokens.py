"""Adds, finds, lists and revokes tokens."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

MOST_TOKENS = 1000

USE_NOTED_EVERY = 60_000
"""Milliseconds: how exactly a token's last use is known."""

_MOVED_AT_ONCE = 500


class TokenRecord(Struct, frozen=True, array_like=True):
    """A token as it is stored; its text is not."""

    name: str
    digest: str
    """SHA-256 of its text."""
    role: str
    queues: str | None
    """JSON list of the queues that a worker may use; null for all."""
    created_at: int
    created_by: str
    expires_at: int | None = None
    used_at: int | None = None
    revoked_at: int | None = None
    revoked_by: str | None = None

    def is_valid(self, now: int) -> bool:
        """Whether it opens anything at this instant of the store's clock."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def is_use_due(self, now: int) -> bool:
        """Whether its last use was noted so long ago that this one has to be noted too."""
        return self.used_at is None or self.used_at <= now - USE_NOTED_EVERY


class NewToken(Struct, frozen=True):
    """A token to be stored."""

    name: str
    digest: str
    role: str
    queues: str | None
    ttl: int | None
    """Milliseconds; null for one that does not expire."""


def add(token: NewToken, *, by: str, most: int = MOST_TOKENS) -> Operation[bool]:
    """Store a token; false when a valid one has that name, or there are too many.

    One that was revoked or has expired gives its name to the new one. Repeated after no reply, the same token is stored
    once more.
    """
    answer = yield Call(
        "token_add",
        {
            "name": token.name,
            "digest": token.digest,
            "role": token.role,
            "queues": token.queues,
            "ttl": token.ttl,
            "by": by,
            "most": most,
        },
    )
    return bool(answer["added"])


def find(digest: str) -> Operation[tuple[TokenRecord | None, int]]:
    """The token with this digest, valid or not, and the time by the store's clock."""
    answer = yield Call("token_find", {"digest": digest}, Lane.READ)
    found = records(answer["tokens"], TokenRecord)
    return (found[0] if found else None), int(answer["now"][0][0])


def note_use(digest: str) -> Operation[None]:
    """Note that a token was used, unless that was noted within a minute; a repeat changes nothing."""
    yield Call("token_touch", {"digest": digest, "every": USE_NOTED_EVERY})


def revoke(name: str, *, by: str) -> Operation[bool]:
    """Let a token open nothing from now on; false when there is none. A repeat changes nothing."""
    answer = yield Call("token_revoke", {"name": name, "by": by})
    return bool(answer["revoked"])


def tokens(name: str | None = None) -> Operation[tuple[list[TokenRecord], int]]:
    """One token, or all by name, and the time by the store's clock."""
    answer = yield Call("token_list", {"name": name}, Lane.READ)
    return records(answer["tokens"], TokenRecord), int(answer["now"][0][0])


def import_tokens(moved: list[TokenRecord]) -> Operation[None]:
    """Keep tokens of another store; a name that is taken here stays as it is. A repeat changes nothing."""
    for first in range(0, len(moved), _MOVED_AT_ONCE):
        yield Call("import_tokens", {"tokens": moved[first : first + _MOVED_AT_ONCE]})
