"""Keepalive probes on connections that only listen."""

from __future__ import annotations

import os
import socket
from contextlib import closing, suppress
from stat import S_ISSOCK

from tests.store.stores import Store
from tests.store.waiting import until
from windlass.store.keepalive import probe_often


def seconds_until_probe(descriptor: int) -> int | None:
    """After how many quiet seconds a TCP connection is probed, None if it never is."""
    with closing(socket.socket(fileno=os.dup(descriptor))) as connection:
        if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE):
            return None
        idle = "TCP_KEEPIDLE" if hasattr(socket, "TCP_KEEPIDLE") else "TCP_KEEPALIVE"
        return connection.getsockopt(socket.IPPROTO_TCP, getattr(socket, idle))


def probed_connections() -> int:
    found = 0
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            found += S_ISSOCK(os.fstat(int(name)).st_mode) and seconds_until_probe(int(name)) == 1
    return found


def test_the_connection_for_notifications_is_probed_every_second(store: Store) -> None:
    """C4, B10: a network that forgot it is noticed in seconds, not when the next poll is due."""
    before = probed_connections()
    of_server = 0 if store.driver.name.endswith(".db") else 1
    with closing(store.driver.listen(lambda topic: None)):
        until(lambda: probed_connections() == before + of_server)


def test_sockets_within_one_machine_need_no_probes() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        probe_often(ours.fileno())
        assert not ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
