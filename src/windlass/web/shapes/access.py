"""Tokens, the audit, and sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct


class Token(Struct, frozen=True):
    """A token, without its text."""

    name: str
    role: str
    queues: list[str] | None
    state: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None


class Tokens(Struct, frozen=True):
    """All tokens by name."""

    tokens: list[Token]


class IssuedToken(Struct, frozen=True):
    """A new token with its text, which is not shown again."""

    token: str
    name: str
    role: str
    queues: list[str] | None
    state: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None


class TokenOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """The token to add."""

    name: str
    role: str = "viewer"
    queues: Annotated[list[str], Meta(max_length=100)] | None = None
    """Those that a worker may use."""
    expires: str | float | None = None
    """After how long, as in ``90d``; null for never."""


class AuditEntry(Struct, frozen=True):
    """A change that a person or a program has made."""

    number: int
    at: datetime
    who: str
    via: str
    action: str
    target: str
    count: int


class AuditEntries(Struct, frozen=True):
    """Some entries, the newest first."""

    entries: list[AuditEntry]
    next: str | None
    """The cursor of the page after this one."""


class AuditQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which entries."""

    limit: Annotated[int, Meta(ge=1, le=500)] = 50
    cursor: str | None = None


class Login(Struct, frozen=True, forbid_unknown_fields=True):
    """A user with a password."""

    user: Annotated[str, Meta(max_length=128)]
    password: Annotated[str, Meta(max_length=1024)]


class SessionState(Struct, frozen=True):
    """Who asks."""

    name: str
    role: str
    queues: list[str] | None
    """Those that a worker may use; null for all."""
    via: str
    csrf_token: str | None
    """What a change in this session needs in the header ``X-CSRF-Token``; null where no session is used."""
