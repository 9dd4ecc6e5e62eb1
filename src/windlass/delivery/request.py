"""One HTTP request to an address that was checked before."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING

from msgspec import Struct

from windlass.core.access.networks import Address
from windlass.delivery.channel import DeliveryFailed
from windlass.delivery.deadline import Deadline
from windlass.delivery.target import Target

if TYPE_CHECKING:
    from ssl import SSLContext

_READ_AT_MOST = 1_000
"""Bytes of an answer; the rest is not read."""


class Answer(Struct, frozen=True):
    """What a receiver said."""

    status: int
    reason: str
    text: str
    """How its body begins."""
    retry_after: float | None
    """Seconds for which it wants to be left alone."""


def post(
    target: Target,
    addresses: Sequence[Address],
    *,
    body: bytes,
    headers: Mapping[str, str],
    deadline: Deadline,
    context: SSLContext | None,
) -> Answer:
    """Send a request; follows no redirects and uses no proxy. Names are not resolved again: the addresses count."""
    connection = _PinnedConnection(target, addresses, deadline, context)
    try:
        connection.request("POST", target.path, body=body, headers={"Host": target.authority, **headers})
        response = connection.getresponse()
        text = response.read(_READ_AT_MOST).decode("utf-8", "replace")
        deadline.remaining()  # a connection that was shut looks like one that has ended
        return Answer(response.status, response.reason, text, _seconds(response.getheader("Retry-After")))
    except (OSError, HTTPException) as error:
        raise DeliveryFailed(_why(error, target, deadline)) from None
    finally:
        connection.close()


class _PinnedConnection(HTTPConnection):
    """A connection to one of the given addresses; certificates are checked for the name in the URL."""

    def __init__(
        self, target: Target, addresses: Sequence[Address], deadline: Deadline, context: SSLContext | None
    ) -> None:
        super().__init__(target.host, target.port)
        self._target = target
        self._addresses = addresses
        self._deadline = deadline
        self._context = context

    def connect(self) -> None:
        plain = self._reach()
        self.sock = plain
        self._deadline.watch(plain)
        plain.settimeout(self._deadline.remaining())
        if self._context is not None:
            self.sock = self._context.wrap_socket(plain, server_hostname=self._target.host)

    def _reach(self) -> socket.socket:
        """A connection to the first address that answers."""
        newest: OSError | None = None
        for place, address in enumerate(self._addresses):
            share = self._deadline.remaining() / (len(self._addresses) - place)
            try:
                return socket.create_connection((str(address), self._target.port), timeout=share)
            except OSError as error:
                newest = error
        raise newest or OSError("no address")


def _why(error: OSError | HTTPException, target: Target, deadline: Deadline) -> str:
    if deadline.is_over or isinstance(error, TimeoutError):
        return f"{target.place} did not answer in time"
    if isinstance(error, OSError):
        return f"{target.place} cannot be reached: {error.strerror or error}"
    return f"{target.place} does not answer as a web server does: {type(error).__name__}"


def _seconds(header: str | None) -> float | None:
    """
    >>> _seconds("120"), _seconds("Wed, 21 Oct 2026 07:28:00 GMT"), _seconds(None)
    (120.0, None, None)
    """
    return float(header) if header and header.isascii() and header.isdigit() and len(header) <= 6 else None
