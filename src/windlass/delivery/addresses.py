"""Which addresses a webhook may reach."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, ip_network

from windlass.core.access.networks import Address, Network

_REFUSED = tuple(
    ip_network(text)
    for text in (
        "100.64.0.0/10",  # of carriers; the metadata of one cloud is in it
        "168.63.129.16/32",  # a public address by which Azure reaches the host of a machine
        "192.0.0.0/24",  # of protocols; the metadata of another is in it
        "192.88.99.0/24",  # relays of 6to4
        "fec0::/10",  # what private networks had before fc00::/7
    )
)
"""Beyond what the registries of addresses call private, reserved or local."""
_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""NAT64: the last 32 bits are an address of IPv4."""
_COMPATIBLE = ip_network("::/96")
"""An old form of IPv4 in IPv6."""


def is_reachable(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether a webhook may connect to an address: a public one, or one that is listed.

    >>> from ipaddress import ip_address
    >>> [is_reachable(ip_address(text), ()) for text in ("93.184.215.14", "::ffff:127.0.0.1", "169.254.169.254")]
    [True, False, False]
    >>> is_reachable(ip_address("::ffff:10.0.0.1"), [ip_network("10.0.0.0/8")])
    True
    """
    inner = embedded(address)
    return any(address in network or inner in network for network in allowed) or _is_public(inner)


def embedded(address: Address) -> Address:
    """The address of IPv4 that one of IPv6 leads to, or the address itself.

    >>> from ipaddress import ip_address
    >>> embedded(ip_address("64:ff9b::a00:1")), embedded(ip_address("2002:7f00:1::1"))
    (IPv4Address('10.0.0.1'), IPv4Address('127.0.0.1'))
    """
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _COMPATIBLE and int(address) > 1:
        return IPv4Address(int(address))
    return address


def _is_public(address: Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _REFUSED)
    )
