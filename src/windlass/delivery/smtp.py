"""A session with a mail server that ends in time."""

from __future__ import annotations

import socket
from smtplib import SMTP
from typing import TYPE_CHECKING

from windlass.delivery.deadline import Deadline
from windlass.delivery.target import addresses

if TYPE_CHECKING:
    from ssl import SSLContext


def open_session(host: str, port: int, *, deadline: Deadline, context: SSLContext | None) -> SMTP:
    """Connect; with ``context`` the connection is encrypted from the start."""
    return _TimedSession(host, port, deadline=deadline, context=context)


class _TimedSession(SMTP):
    """All of it within one deadline: the one of ``smtplib`` is for a single call."""

    def __init__(self, host: str, port: int, *, deadline: Deadline, context: SSLContext | None) -> None:
        self._deadline = deadline
        self._from_start = context
        super().__init__(host, port, timeout=deadline.remaining())

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        newest: OSError | None = None
        for address in addresses(host, port, self._deadline):
            try:
                plain = socket.create_connection((str(address), port), timeout=min(timeout, self._deadline.remaining()))
            except OSError as error:
                newest = error
            else:
                self._deadline.watch(plain)
                return self._from_start.wrap_socket(plain, server_hostname=host) if self._from_start else plain
        raise newest or OSError("no address")
