"""Security of a server that only this machine can reach."""

from __future__ import annotations

import logging
from ipaddress import ip_address

from starlette.requests import Request

from windlass.web.problems import Problem
from windlass.web.security.roles import Identity, Role

log = logging.getLogger("windlass.web")


class Loopback:
    """Admits every caller on this machine as an admin.

    A page that a browser has from elsewhere must not reach it: neither by a name that was bent to this machine, which
    the header ``Host`` shows, nor by a request across sites.
    """

    async def admit(self, request: Request, needed: Role | None) -> Identity:
        address = request.client.host if request.client is not None else ""
        if not is_loopback(address):
            raise Problem(403, "Forbidden", "only programs on the same machine may ask here")
        if not is_loopback(host_of(request.headers.get("host", ""))):
            raise Problem(421, "Misdirected request", "this server is called localhost or 127.0.0.1", field="Host")
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise Problem(403, "Forbidden", "requests of other sites are refused")
        return Identity("local", Role.ADMIN, via="loopback")

    async def changed(self, identity: Identity, action: str, target: str, count: int) -> None:
        log.info("%s by %s: %s (%s)", action, identity.name, target, count)


def host_of(header: str) -> str:
    """The name in a ``Host`` header, without its port.

    >>> host_of("localhost:8000"), host_of("[::1]:8000"), host_of("example.org")
    ('localhost', '[::1]', 'example.org')
    """
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("example.org")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
