"""Roles, and the identity of a caller."""

from __future__ import annotations

import msgspec

from windlass.core.access.roles import Role
from windlass.web.problems import Problem

__all__ = ["ANONYMOUS", "Identity", "Role"]


class Identity(msgspec.Struct, frozen=True):
    """Who asks."""

    name: str
    role: Role
    queues: frozenset[str] | None = None
    """The queues that a worker's token may touch; None for all."""
    via: str = ""
    """How it was established: ``token``, ``password``, ``session``, ``proxy``, ``app``, ``local``."""

    def may_use(self, queue: str) -> bool:
        """Whether jobs of this queue may be enqueued, claimed and ended."""
        return self.queues is None or queue in self.queues

    def require_queue(self, queue: str) -> None:
        """A ``Problem`` where jobs of this queue are none of the caller's."""
        if not self.may_use(queue):
            raise Problem(403, "Forbidden", f"this token is not for queue {queue!r}", field="queue")


ANONYMOUS = Identity("anonymous", Role.VIEWER)
"""The caller of a public route."""
