"""Roles, and the identity of a caller."""

from __future__ import annotations

import msgspec

from windlass.core.access.roles import Role

__all__ = ["Identity", "Role"]


class Identity(msgspec.Struct, frozen=True):
    """Who asks."""

    name: str
    role: Role
    queues: frozenset[str] | None = None
    """The queues that a worker's token may touch; None for all."""
    via: str = ""
    """How it was established."""
