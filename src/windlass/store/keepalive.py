"""Keepalive probes for connections that only listen.

A network may forget a connection without a word to either side. A worker would then wait for notifications that cannot
arrive. The system's own probes find that out in seconds, and cost the server no statement.
"""

from __future__ import annotations

import os
import socket
from contextlib import closing

_PROBES = {
    "TCP_KEEPIDLE": 1,
    "TCP_KEEPALIVE": 1,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": 2,
    "TCP_USER_TIMEOUT": 3_000,
}
"""Seconds, and milliseconds for the last. Each system knows some of these names; the second is the first on macOS."""


def probe_often(descriptor: int) -> None:
    """Have the system ask every second whether the other side is there; the connection breaks about three seconds after
    it is not.
    """
    with closing(socket.socket(fileno=os.dup(descriptor))) as connection:
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            return  # within one machine nothing gets lost
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _PROBES.items():
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
