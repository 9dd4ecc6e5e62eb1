"""One connection: sends a command once and reads its reply; repeats nothing by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from select import POLLERR, POLLHUP, POLLIN, poll
from socket import socket
from typing import Any, cast

from hiredis import Reader, pack_command
from redis.connection import AbstractConnection
from redis.exceptions import InvalidResponse, NoScriptError, RedisError, ResponseError

from windlass import clock
from windlass.store.connection.circuit_breaker import Away
from windlass.store.redis.scripts import Script
from windlass.store.redis.server import Server, read_info

_SHORTEST = 0.001
"""A socket's time limit of zero would mean: do not wait at all."""
_NEARLY = 0.01
"""Two time limits that differ by no more count as the same: each call wants the usual one, and to set it takes time."""
_AT_ONCE = 65536
_UNFINISHED = object()


class NoReply(Exception):
    """The command is on its way or at the server, and no answer came; the text says why."""


@contextmanager
def safe_to_repeat() -> Iterator[None]:
    """Around questions that change nothing, so that one without an answer may simply be asked again."""
    try:
        yield
    except NoReply as error:
        raise Away(f"the server does not answer ({error})") from error


class Connection:
    """A connection, and which server is at its other end. Used by one thread at a time.

    The library makes the connection and logs in. What it does around each command for clients that know no deadlines
    takes longer than most commands, so these go to the socket, through the same parser as its own.

    """

    until: float = inf
    """The instant on the monotonic clock at which its user's patience ends."""
    used: float = 0.0
    """When it was last given back, on the monotonic clock."""

    def __init__(self, connection: AbstractConnection) -> None:
        self._connection = connection
        self._poll = poll()
        self._is_owed = False
        self._limited = 0.0
        self._socket: socket
        self._reader: Reader
        self.server: Server

    def connect(self) -> None:
        """Connect and log in; the library's exceptions say why not."""
        self._connection.socket_connect_timeout = self._connection.socket_timeout = self._seconds
        self._connection.connect()  # type: ignore[no-untyped-call]  # the library's
        self._socket = cast(socket, self._connection._sock)  # noqa: SLF001  # the library has no public name for it
        self._reader = self._new_reader()
        self._poll.register(self._socket, POLLIN | POLLERR | POLLHUP)

    def read_server(self) -> Server:
        """Ask the server who it is; its role or its lineage may have changed since."""
        self.server = read_info(self.ask("INFO"))
        return self.server

    @property
    def closed(self) -> bool:
        held: socket | None = self._connection._sock  # noqa: SLF001
        return held is None

    @property
    def is_idle(self) -> bool:
        """Whether it is open and no answer is outstanding: an interrupted call's would be taken for the next one's."""
        held: socket | None = self._connection._sock  # noqa: SLF001
        return held is not None and not self._is_owed

    @property
    def is_disconnected(self) -> bool:
        """Whether the server has said something by itself: it does so only when it hangs up."""
        return bool(self._poll.poll(0))

    def ask(self, *command: Any) -> Any:
        """The answer to a command; ``Away`` if it was not sent, ``NoReply``, or what the server refused it with."""
        self.send(*command)
        return self._read()

    def send(self, *command: Any) -> None:
        """Send a command; ``Away`` if that cannot be done, ``UnicodeError`` if it is no text."""
        packed = pack_command(tuple([_as_text(part) for part in command]))
        self._is_owed = True
        try:
            self._limit()
            self._socket.sendall(packed)
        except OSError as error:
            # The server carries out whole commands only, so one that could not be sent to its end did nothing.
            raise Away(f"the connection broke ({error})") from error

    def read(self) -> Any:
        """The next thing that the server says; ``NoReply`` if it says nothing in time."""
        self._limit()
        return self._read()

    def _read(self) -> Any:
        try:
            answer = self._reader.gets()
            while answer is _UNFINISHED:
                said = self._socket.recv(_AT_ONCE)
                if not said:
                    raise NoReply("the server closed the connection")
                self._reader.feed(said)
                answer = self._reader.gets()
        except (OSError, InvalidResponse) as error:
            raise NoReply(str(error)) from error
        if isinstance(answer, RedisError):
            # After a denied login or while the server is loading, this connection is not used again.
            self._is_owed = not isinstance(answer, ResponseError)
            raise answer
        self._is_owed = False
        return answer

    @property
    def has_more(self) -> bool:
        """Whether something can be read at once; in part, the rest is on its way."""
        return self._reader.has_data() or bool(self._poll.poll(0))

    def fileno(self) -> int:
        """For ``select``."""
        return self._socket.fileno()

    def run(self, script: Script, *arguments: Any) -> Any:
        """What a script returns."""
        command = ("EVALSHA", script.digest, len(script.keys), *script.keys, *arguments)
        try:
            return self.ask(*command)
        except NoScriptError:
            # A restart or SCRIPT FLUSH forgot it; nothing was carried out. Scripts that were loaded as such are not
            # evicted, those of plain EVAL may be.
            with safe_to_repeat():
                self.ask("SCRIPT", "LOAD", script.text)
            return self.ask(*command)

    def close(self) -> None:
        self._connection.disconnect()  # type: ignore[no-untyped-call]  # the library's

    def _new_reader(self) -> Reader:
        encoder = self._connection.encoder
        return Reader(
            protocolError=InvalidResponse,
            replyError=self._connection._parser.parse_error,  # noqa: SLF001  # by the library's names of refusals
            encoding=encoder.encoding,
            errors=encoder.encoding_errors,
            notEnoughData=_UNFINISHED,
        )

    def _limit(self) -> None:
        seconds = self._seconds
        if not 0 <= self._limited - seconds <= _NEARLY:
            self._socket.settimeout(seconds)
            self._limited = seconds

    @property
    def _seconds(self) -> float:
        return max(_SHORTEST, self.until - clock.monotonic())


def _as_text(part: Any) -> Any:
    """A part of a command that the library need not write itself.

    It takes it for granted that a number can be written. A signal is looked at while one is, and what its handler
    raises then would end the process with a segmentation fault.
    """
    return str(part) if isinstance(part, int | float) else part
