"""Types of what is asked and answered."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType


class RawRecord(Struct, frozen=True):
    """A row of a table, or a key of Redis."""

    place: str
    fields: dict[str, Any]
    """By the names of the store; an encrypted text is ``{"encrypted": KEY}``, a damaged one ``{"unreadable": N}``."""


class Action(Struct, frozen=True):
    """What can be done about a job."""

    action: str
    why: str
    route: str | None
    command: str | None


class Inspection(Struct, frozen=True):
    """A job as the store holds it."""

    id: str
    store: str
    why: str
    """Why it is not running."""
    records: list[RawRecord]
    unreadable: list[str]
    encrypted: dict[str, str]
    """Which of its texts are encrypted, each with the id of its key."""
    actions: list[Action]


class KeysQuery(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which keys."""

    pattern: Annotated[str, Meta(min_length=1, max_length=200)] = "*"
    """Of Redis, as in ``job:*``; without the tag that all keys of the store begin with."""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    """About how many."""
    cursor: str | UnsetType = UNSET


class StoreKey(Struct, frozen=True):
    """One key."""

    name: str
    type: str
    length: int
    """Bytes of a string, else how many members or fields it has."""
    ttl_seconds: float | None


class StoreKeys(Struct, frozen=True):
    """A part of the keys, in no order; it may be short, or empty, and still have a next one."""

    prefix: str
    """What every name begins with."""
    keys: list[StoreKey]
    next: str | None
