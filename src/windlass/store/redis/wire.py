"""One script to the server, one answer back; sent once, never repeated by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis.connection import Connection, ConnectionPool
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ConnectionError,
    NoScriptError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,
)

from windlass import clock
from windlass.store.redis.failure import lost, refused, unreachable
from windlass.store.redis.scripts import Script


class Wire:
    """Connections to one server, shared by threads; whoever waits for an answer has one of its own."""

    def __init__(self, pool: ConnectionPool, *, where: str, deadline: float) -> None:
        self._pool = pool
        self._where = where
        self._deadline = deadline

    def run(self, script: Script, keys: Sequence[str], arguments: Sequence[bytes], *, writes: bool) -> list[Any]:
        """Carry out a script; what it returned."""
        command = ("EVALSHA", script.digest, len(keys), *keys, *arguments)
        with self._connection() as connection:
            try:
                try:
                    return self._ask(connection, command)
                except NoScriptError:
                    # A restart or SCRIPT FLUSH forgot it; nothing was carried out. Scripts that were loaded as such
                    # are not evicted, those of plain EVAL may be.
                    self._ask(connection, ("SCRIPT LOAD", script.text))
                    return self._ask(connection, command)
            except ResponseError as error:
                if isinstance(error, ReadOnlyError):
                    # A former primary: the next connection finds the new one behind the same name.
                    connection.disconnect()  # type: ignore[no-untyped-call]  # the library's
                raise refused(error, self._where) from error
            except (AuthenticationError, BusyLoadingError) as error:
                raise unreachable(error, self._where) from error  # an answer, though the library does not call it one
            except RedisError as error:
                raise lost(error, self._where, may_have_written=writes) from error

    def close(self) -> None:
        """Disconnect everything."""
        self._pool.disconnect()

    def _ask(self, connection: Connection, command: Sequence[Any]) -> list[Any]:
        connection.send_command(*command)  # type: ignore[no-untyped-call]  # the library's
        answer: list[Any] = connection.read_response()
        return answer

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        connection = self._connect()
        try:
            yield connection
        finally:
            self._pool.release(connection)

    def _connect(self) -> Connection:
        """Try until it works or the deadline has come: a server that restarts is back soon."""
        until = clock.monotonic() + self._deadline
        while True:
            try:
                return self._pool.get_connection()
            except (ConnectionError, TimeoutError) as error:
                if isinstance(error, AuthenticationError) or clock.monotonic() >= until:
                    raise unreachable(error, self._where) from error
            clock.sleep(0.05 + 0.1 * clock.roll())
