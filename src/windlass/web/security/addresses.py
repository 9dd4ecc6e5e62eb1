"""Addresses of clients, and the names by which a server may be called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request

from windlass.core.access.networks import Address, Network

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")


def client_address(request: Request) -> Address | None:
    """The address of the other end of the connection; None where there is none, as in tests or on a Unix socket."""
    try:
        found = ip_address(request.client.host) if request.client is not None else None
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found


def is_from(request: Request, trusted: Sequence[Network]) -> bool:
    """Whether the connection comes from one of these networks."""
    address = client_address(request)
    return address is not None and any(address in network for network in trusted)


def client_key(request: Request, trusted: Sequence[Network] = ()) -> str:
    """By what a client is counted: its address, behind trusted proxies the one that these name; of IPv6 the network of
    64 bits, which one client may have whole.
    """
    address = _forwarded_for(request, trusted) if is_from(request, trusted) else client_address(request)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)


def is_forwarded(request: Request) -> bool:
    """Whether a proxy passed the request on, so that its address says nothing about the client."""
    return any(name in request.headers for name in _FORWARDED)


def is_encrypted(request: Request, trusted: Sequence[Network] = ()) -> bool:
    """Whether the client's connection is encrypted; a trusted proxy may say so."""
    said = request.headers.get("x-forwarded-proto") if is_from(request, trusted) else None
    return request.scope["scheme"] == "https" or said == "https"


def is_local(request: Request) -> bool:
    """Whether the client is on this machine, and no proxy."""
    address = client_address(request)
    return address is not None and address.is_loopback and not is_forwarded(request)


def _forwarded_for(request: Request, trusted: Sequence[Network]) -> Address | None:
    """The last client that is no trusted proxy: what stands before it, the client itself may have written."""
    named = [text.strip() for value in request.headers.getlist("x-forwarded-for") for text in value.split(",")]
    for text in reversed(named):
        try:
            address = ip_address(text)
        except ValueError:
            break
        if not any(address in network for network in trusted):
            return address
    return client_address(request)


def host_name(header: str) -> str | None:
    """The name or address in a ``Host`` header, without its port; None where it is neither.

    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("example.org."), host_name("a b")
    ('localhost', '::1', 'example.org', None)
    """
    found = _HOST.fullmatch(header)
    return None if found is None else found[1].strip("[]").rstrip(".").lower()


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("example.org")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def is_address(host: str) -> bool:
    """Whether it is an address and no name. DNS rebinding works with names only."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
