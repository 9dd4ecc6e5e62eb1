"""The connections of one process to one database, by what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from select import POLLERR, POLLHUP, POLLIN, poll
from typing import Any

from psycopg import Connection, OperationalError, adapters, connect
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from windlass.store.carried import keep_for_ever
from windlass.store.operation import Lane
from windlass.store.postgres.address import Address

_SIZE = {"calls": 8, "beat": 1}
"""How many connections at the most; heartbeats have one of their own, so that busy threads cannot hold them up."""


class _Raw(Loader):
    """Leaves JSON as it came: whole batches are decoded straight into records."""

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


_ADAPTERS = AdaptersMap(adapters)
_ADAPTERS.register_loader("json", _Raw)


class Pools:
    """A pool for calls and one for heartbeats; each connects when it is first needed."""

    def __init__(self, address: Address, *, deadline: float) -> None:
        self._address = address
        self._deadline = deadline
        self._pools = {name: _pool(name, size, address, deadline) for name, size in _SIZE.items()}

    @contextmanager
    def connection(self, lane: Lane) -> Iterator[Connection[Any]]:
        """Borrow a connection; it commits every statement by itself."""
        pool = self._pool(lane)
        connection = self._borrow(pool)
        try:
            yield connection
        finally:
            pool.putconn(connection)

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    def abandon(self) -> None:
        """Forget, in a forked child, what belongs to the parent.

        Not even the end of the interpreter may free it: a pool's last act is to wait for threads that are not there.
        """
        keep_for_ever(self._pools)

    def _borrow(self, pool: ConnectionPool[Connection[Any]]) -> Connection[Any]:
        try:
            return pool.getconn(timeout=self._deadline)
        except PoolTimeout:
            # The pool keeps to itself why it could not connect; whoever reads the message must know.
            connect(make_conninfo(self._address.conninfo, connect_timeout=2)).close()
            raise  # the server is well: all connections are in use

    def _pool(self, lane: Lane) -> ConnectionPool[Connection[Any]]:
        pool = self._pools["beat" if lane is Lane.BEAT else "calls"]
        if pool.closed:
            pool.open()
        return pool


def _pool(name: str, size: int, address: Address, deadline: float) -> ConnectionPool[Connection[Any]]:
    def check(connection: Connection[Any]) -> None:
        """Find out without a round trip whether the server has hung up: then there is something to read, or an end."""
        waiting = poll()
        waiting.register(connection.fileno(), POLLIN | POLLERR | POLLHUP)
        if waiting.poll(0):
            connection.close()
            pool.drain()  # whatever ended this one has most likely ended the others
            raise OperationalError("the server has closed an idle connection")

    pool: ConnectionPool[Connection[Any]] = ConnectionPool(
        address.conninfo,
        # No session state, so that poolers that change the server connection between transactions work.
        kwargs={"autocommit": True, "prepare_threshold": None, "context": _ADAPTERS},
        min_size=0,
        max_size=size,
        open=False,
        check=check,
        name=f"windlass-{name}",
        # The pool's own pauses double without bound; starting anew bounds how late a server's return is noticed.
        reconnect_timeout=deadline,
        num_workers=1,
    )
    return pool
