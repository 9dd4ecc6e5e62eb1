"""The options of ``windlass web`` that say how callers are known."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlass.app import Windlass
from windlass.cli.output import Command
from windlass.client.config import setting
from windlass.core.access.roles import Role, role_of
from windlass.errors import ConfigError, StoreNotFound

if TYPE_CHECKING:
    from windlass.web.security.proxy import TrustedProxy
    from windlass.web.security.settings import SecuritySettings

SecurityAt = Callable[[Windlass, str], "SecuritySettings"]
"""What holds for a server of an app at an address; ``ConfigError`` where it would be open to others."""


def with_security(command: Command) -> Command:
    """Give a command the options, and as ``security`` what they mean."""

    @click.option("--token", metavar="TEXT", help="A token of an admin, stored nowhere (or $WINDLASS_TOKEN).")
    @click.option("--password-file", metavar="FILE", help="Users with passwords; see `windlass password`.")
    @click.option("--proxy-header", metavar="NAME", help="The header in which a proxy names the user.")
    @click.option("--proxy-from", metavar="ADDRESS,...", help="The addresses of that proxy; others are not believed.")
    @click.option("--proxy-role", metavar="[NAME=]ROLE,...", help="Roles of its users; ada=admin,@example.com=viewer.")
    @click.option("--allow-host", multiple=True, metavar="NAME", help="A name by which the server may be called.")
    @wraps(command)
    def run(
        *,
        token: str | None,
        password_file: str | None,
        proxy_header: str | None,
        proxy_from: str | None,
        proxy_role: str | None,
        allow_host: tuple[str, ...],
        **options: Any,
    ) -> None:
        def security(app: Windlass, host: str) -> SecuritySettings:
            from windlass.web.security.settings import SecuritySettings, check_start
            from windlass.web.security.users import read_users

            file = setting("password_file", password_file)
            settings = SecuritySettings(
                start_token=setting("token", token),
                users={} if file is None else read_users(Path(file)),
                proxy=_proxy(proxy_header, proxy_from, proxy_role),
                hosts=frozenset(name.lower() for name in (*allow_host, host, socket.gethostname())),
            )
            return check_start(host, settings, has_tokens=_has_tokens(app))

        command(security=security, **options)

    return run


def _proxy(header: str | None, addresses: str | None, roles: str | None) -> TrustedProxy | None:
    from windlass.core.access.networks import networks
    from windlass.web.security.proxy import TrustedProxy

    if header is None or addresses is None:
        if header or addresses or roles:
            raise ConfigError("--proxy-header and --proxy-from go together: which header, and from which addresses")
        return None
    default, named = _roles(roles)
    return TrustedProxy(header, networks(addresses.split(","), "--proxy-from"), default, named)


def _roles(text: str | None) -> tuple[Role | None, Mapping[str, Role]]:
    """The role of users that are not named, if there is one, and those of users and domains that are."""
    if text is None:
        return Role.VIEWER, {}
    default, named = None, {}
    for item in text.split(","):
        name, is_named, role = item.strip().rpartition("=")
        if is_named:
            named[name] = role_of(role)
        else:
            default = role_of(role)
    return default, named


def _has_tokens(app: Windlass) -> bool:
    try:
        return any(token.state == "valid" for token in app.tokens())
    except StoreNotFound:
        return False
