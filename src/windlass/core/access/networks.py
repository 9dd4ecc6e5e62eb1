"""Addresses and networks as settings name them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from windlass.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def networks(texts: Iterable[str], name: str) -> tuple[Network, ...]:
    """Addresses and networks, as in ``10.0.0.5`` and ``10.1.0.0/16``."""
    found: list[Network] = []
    for text in texts:
        try:
            found.append(ip_network(text.strip()))
        except ValueError:
            raise ConfigError(
                f"{name} takes addresses and networks, as in 10.0.0.5 or 10.1.0.0/16; got {text!r}"
            ) from None
    return tuple(found)
