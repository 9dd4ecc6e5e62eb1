"""Callers that a trusted proxy names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from starlette.requests import Request

from windlass.core.access.networks import Network
from windlass.core.access.roles import Role
from windlass.web.security.addresses import is_from
from windlass.web.security.roles import Identity

_LONGEST = 128


@dataclass(frozen=True, slots=True)
class TrustedProxy:
    """A proxy that has checked who asks, and says so in a header. From any other address the header means nothing."""

    header: str
    addresses: Sequence[Network]
    role: Role | None = Role.VIEWER
    """Of callers that ``roles`` does not name; None refuses them."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """By name, or by ``@domain`` of an e-mail address; both are compared whole."""

    def identity(self, request: Request) -> Identity | None:
        """Who asks, if this request comes from the proxy and names a caller that may."""
        if not is_from(request, self.addresses):
            return None
        named = request.headers.getlist(self.header)
        if len(named) != 1 or not named[0] or len(named[0]) > _LONGEST or not named[0].isprintable():
            return None  # a second header was added by the client
        role = self._role(named[0])
        return None if role is None else Identity(named[0], role, via="proxy")

    def _role(self, name: str) -> Role | None:
        if name in self.roles and not name.startswith("@"):
            return self.roles[name]
        user, at, domain = name.rpartition("@")
        if at and user and "@" not in user and f"@{domain}" in self.roles:
            return self.roles[f"@{domain}"]
        return self.role
