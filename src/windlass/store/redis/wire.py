"""One connection to the server: a command goes out once, its answer comes back, nothing is repeated by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from select import POLLERR, POLLHUP, POLLIN, poll
from socket import socket
from typing import Any, cast

from redis.connection import AbstractConnection
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BusyLoadingError,
    ConnectionError,
    InvalidResponse,
    NoScriptError,
    RedisError,
    ResponseError,
    TimeoutError,
)

from windlass import clock
from windlass.store.breaker import Away
from windlass.store.redis.scripts import Script
from windlass.store.redis.server import Server, read_info

_SHORTEST = 0.001
"""A socket's time limit of zero would mean: do not wait at all."""


class Unanswered(Exception):
    """The command is on its way or at the server, and no answer came; the text says why."""


@contextmanager
def nothing_done() -> Iterator[None]:
    """Around questions that change nothing, so that one without an answer may simply be asked again."""
    try:
        yield
    except Unanswered as error:
        raise Away(f"the server does not answer ({error})") from error


class Wire:
    """A connection, and which server is at its other end. Used by one thread at a time.

    ``until`` is the instant on the monotonic clock at which a caller's patience ends.
    """

    def __init__(self, connection: AbstractConnection) -> None:
        self._connection = connection
        self._poll = poll()
        self._is_owed = False
        self.server: Server

    def connect(self, *, until: float) -> None:
        """Connect and log in; the library's exceptions say why not."""
        self._connection.socket_connect_timeout = self._connection.socket_timeout = _seconds(until)
        self._connection.connect()  # type: ignore[no-untyped-call]  # the library's
        self._poll.register(self._socket, POLLIN | POLLERR | POLLHUP)

    def look(self, *, until: float) -> Server:
        """Ask the server who it is; its role or its lineage may have changed since."""
        self.server = read_info(self.ask("INFO", until=until))
        return self.server

    @property
    def is_free(self) -> bool:
        """Whether it is open and no answer is outstanding: an interrupted call's would be taken for the next one's."""
        held: socket | None = self._connection._sock
        return held is not None and not self._is_owed

    @property
    def is_quiet(self) -> bool:
        """Whether the server has said nothing by itself: its last word would be that it hung up."""
        return not self._poll.poll(0)

    def ask(self, *command: Any, until: float) -> Any:
        """The answer to a command; ``Away`` if it was not sent, ``Unanswered``, or what the server refused it with."""
        self.send(*command, until=until)
        return self._read()

    def send(self, *command: Any, until: float) -> None:
        """Send a command; ``Away`` if that cannot be done."""
        self._is_owed = True
        try:
            self._limit(until)
            self._connection.send_command(*command)  # type: ignore[no-untyped-call]  # the library's
        except RedisError as error:
            # The server carries out whole commands only, so one that could not be sent to its end did nothing.
            raise Away(f"the connection broke ({error})") from error

    def read(self, *, until: float) -> Any:
        """The next thing that the server says; ``Unanswered`` if it says nothing in time."""
        self._limit(until)
        return self._read()

    def _read(self) -> Any:
        try:
            answer = self._connection.read_response()
        except ResponseError:
            self._is_owed = False
            raise
        except (AuthenticationError, AuthorizationError, BusyLoadingError):
            raise  # answers, though the library counts them as broken connections
        except (ConnectionError, TimeoutError, InvalidResponse) as error:
            raise Unanswered(str(error)) from error
        self._is_owed = False
        return answer

    @property
    def has_more(self) -> bool:
        """Whether something can be read at once; in part, the rest is on its way."""
        try:
            return bool(self._connection.can_read())
        except (ConnectionError, TimeoutError) as error:
            raise Unanswered(str(error)) from error

    def fileno(self) -> int:
        """For ``select``."""
        return self._socket.fileno()

    def run(self, script: Script, keys: list[str], arguments: tuple[Any, ...], *, until: float) -> Any:
        """What a script returns."""
        command = ("EVALSHA", script.digest, len(keys), *keys, *arguments)
        try:
            return self.ask(*command, until=until)
        except NoScriptError:
            # A restart or SCRIPT FLUSH forgot it; nothing was carried out. Scripts that were loaded as such are not
            # evicted, those of plain EVAL may be.
            with nothing_done():
                self.ask("SCRIPT", "LOAD", script.text, until=until)
            return self.ask(*command, until=until)

    def close(self) -> None:
        self._connection.disconnect()  # type: ignore[no-untyped-call]  # the library's

    @property
    def _socket(self) -> socket:
        return cast(socket, self._connection._sock)  # the library has no name of its own for its limit or its number

    def _limit(self, until: float) -> None:
        self._socket.settimeout(_seconds(until))


def _seconds(until: float) -> float:
    return max(_SHORTEST, until - clock.monotonic())
