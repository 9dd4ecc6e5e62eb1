"""The URL of a webhook, and the addresses of its host."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from windlass.core.access.networks import Address, Network
from windlass.delivery.addresses import is_reachable
from windlass.delivery.channel import DeliveryFailed
from windlass.delivery.deadline import Deadline
from windlass.errors import ConfigError
from windlass.threads.start import start_thread

_PORTS = {"http": 80, "https": 443}
_PLAIN = re.compile(r"[\x21-\x7e]+")
_LONGEST = 2_000

LookUp = Callable[[str, int], list[Any]]
"""As ``socket.getaddrinfo``."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in parts. Its path is a secret, as in the webhooks of Slack: ``repr`` and errors have ``place`` only."""

    scheme: str
    host: str
    port: int
    path: str

    def __repr__(self) -> str:
        return f"<Target {self.place}>"

    @property
    def place(self) -> str:
        """What may be shown of it.

        >>> Target.of("https://hooks.example.org/services/T0/B0/xyz").place
        'https://hooks.example.org'
        """
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """The ``Host`` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @classmethod
    def of(cls, url: object) -> Target:
        """Read a URL; ``ConfigError`` does not show more of it than its beginning."""
        if not isinstance(url, str) or not _PLAIN.fullmatch(url) or len(url) > _LONGEST:
            raise ConfigError(
                "the URL of a webhook must be a text of plain characters without spaces, of at most "
                f"{_LONGEST:,}; write others as %XX, and hosts of other scripts as xn--..."
            )
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ConfigError("the URL of a webhook cannot be read; it looks like https://example.org/hook") from None
        if parts.scheme not in _PORTS or not host:
            raise ConfigError(
                f"the URL of a webhook begins with https:// or http:// and a host, got {parts.scheme or 'none'}://..."
            )
        if parts.username is not None or parts.password is not None:
            raise ConfigError(
                f"the URL of a webhook at {host} has a user or a password in it; give headers={{'Authorization': ...}}"
            )
        path = parts.path or "/"
        return cls(
            parts.scheme,
            host.rstrip("."),
            _PORTS[parts.scheme] if port is None else port,
            f"{path}?{parts.query}" if parts.query else path,
        )


def addresses(host: str, port: int, deadline: Deadline, look_up: LookUp | None = None) -> list[Address]:
    """What a name means now, in the order in which to try. A resolver has no time limit of its own: one that hangs is
    left behind.
    """
    answers: SimpleQueue[list[Address] | OSError] = SimpleQueue()
    start_thread(_look_up, host, port, look_up or _system_look_up, answers, name="windlass-resolve")
    try:
        found = answers.get(timeout=deadline.remaining())
    except (Empty, TimeoutError):
        raise DeliveryFailed(f"the name {host} was not resolved in time") from None
    if isinstance(found, OSError):
        raise DeliveryFailed(f"the name {host} cannot be resolved: {found.strerror or found}")
    return found


def reachable_addresses(
    target: Target, allowed: Sequence[Network], deadline: Deadline, look_up: LookUp | None = None
) -> list[Address]:
    """The addresses of a target, each of them checked. One that is refused refuses them all: a name that means a public
    and a private address at once is an attack, or a mistake.
    """
    found = addresses(target.host, target.port, deadline, look_up)
    if not found:
        raise DeliveryFailed(f"the name {target.host} has no address")
    for address in found:
        if not is_reachable(address, allowed):
            raise DeliveryFailed(
                f"{target.host} is {address}, an address that is not public; if it is meant, list it: "
                f"allow=['{address}'] or $WINDLASS_ALERT_ALLOW"
            )
    return found


def _system_look_up(host: str, port: int) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


def _look_up(host: str, port: int, look_up: LookUp, answers: SimpleQueue[list[Address] | OSError]) -> None:
    try:
        # A scope, as in fe80::1%eth0, says by which interface; what it is on is refused in any case.
        answers.put(list(dict.fromkeys(ip_address(entry[4][0].partition("%")[0]) for entry in look_up(host, port))))
    except OSError as error:
        answers.put(error)
    except (ValueError, UnicodeError) as error:  # a name that no resolver takes
        answers.put(OSError(str(error)))
