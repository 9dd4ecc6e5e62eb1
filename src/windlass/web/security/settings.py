"""How callers are known, and what is refused at the start of a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from starlette.requests import Request

from windlass.errors import ConfigError
from windlass.web.security.addresses import is_loopback
from windlass.web.security.proxy import TrustedProxy
from windlass.web.security.roles import Identity
from windlass.web.security.users import User

Authenticate = Callable[[Request], "Identity | Awaitable[Identity | None] | None"]
"""A function of a host application: who asks, or None."""

_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SecuritySettings:
    """How callers are known. Tokens of the store are always accepted."""

    start_token: str | None = field(default=None, repr=False)
    """A token of an admin that is stored nowhere (``--token``)."""
    users: Mapping[str, User] = field(default_factory=dict)
    proxy: TrustedProxy | None = None
    authenticate: Authenticate | None = None
    """Of the application into which the API is mounted."""
    is_open_to_loopback: bool = False
    """Whether callers on this machine are admins without showing who they are."""
    hosts: frozenset[str] | None = None
    """The names by which the server may be called, besides addresses; None, for mounted applications, for any."""
    requests_per_second: float = 200
    request_burst: int = 1000
    failures_per_minute: int = 10

    def __post_init__(self) -> None:
        if self.start_token is not None and len(self.start_token) < _SHORTEST_TOKEN:
            raise ConfigError(
                f"--token needs at least {_SHORTEST_TOKEN} characters; `windlass tokens add` makes a good one"
            )

    @property
    def has_authentication(self) -> bool:
        """Whether callers can show who they are, besides by tokens of the store."""
        return bool(self.start_token or self.users or self.proxy or self.authenticate)


def check_start(host: str, settings: SecuritySettings, *, has_tokens: bool) -> SecuritySettings:
    """The settings for a server at this address. One that only this machine can reach, and that has no other way to
    know callers, is open to those on this machine. ``ConfigError`` where others could reach it and none could show who
    it is.
    """
    if is_loopback(host):
        return replace(settings, is_open_to_loopback=not settings.has_authentication)
    if not has_tokens and not settings.has_authentication:
        raise ConfigError(
            f"--host {host}: other machines can reach this address, and no caller could show who it is. Add a token "
            "first (windlass tokens add NAME --role admin), or give --token, --password-file or --proxy-header; "
            "without --host only this machine is served, 127.0.0.1"
        )
    return settings
