"""Tokens of the HTTP API; their texts are stored nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from windlass import clock
from windlass.core.access.roles import Role
from windlass.store.operation import Operation
from windlass.store.operations.access.tokens import TokenRecord, tokens


@dataclass(frozen=True, slots=True)
class TokenView:
    """A token at the moment of the read."""

    name: str
    role: Role
    queues: tuple[str, ...] | None
    """The queues that a worker may use; None for all."""
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    used_at: datetime | None
    """Its last use, to the minute."""
    revoked_at: datetime | None
    revoked_by: str | None
    state: str
    """``valid``, ``expired`` or ``revoked``."""


def token_views(name: str | None = None) -> Operation[list[TokenView]]:
    """One token, or all by name."""
    found, now = yield from tokens(name)
    return [token_view(token, now) for token in found]


def queues_of(token: TokenRecord) -> tuple[str, ...] | None:
    """The queues that it is for; None for all."""
    return None if token.queues is None else tuple(msgspec.json.decode(token.queues, type=list[str]))


def token_view(token: TokenRecord, now: int) -> TokenView:
    """A token as it is at this instant of the store's clock."""
    return TokenView(
        name=token.name,
        role=Role(token.role),
        queues=queues_of(token),
        created_at=clock.instant(token.created_at),
        created_by=token.created_by,
        expires_at=clock.instant_or_none(token.expires_at),
        used_at=clock.instant_or_none(token.used_at),
        revoked_at=clock.instant_or_none(token.revoked_at),
        revoked_by=token.revoked_by,
        state="valid" if token.is_valid(now) else "expired" if token.revoked_at is None else "revoked",
    )
