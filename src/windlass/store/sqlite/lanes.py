"""The connections of one process to one file, by what they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from windlass.store.carried import keep_for_ever
from windlass.store.operation import Answer, Call, Lane
from windlass.store.sqlite.library import Connection
from windlass.store.sqlite.writer import Writer

_READERS_KEPT = 4

T = TypeVar("T")


class Patiently(Protocol):
    """Tries something until it works or the deadline has come."""

    def __call__(self, attempt: Callable[[], T]) -> T: ...


class Lanes:
    """A writer, a heartbeat that waits for no writer of this process, and readers that wait for nobody."""

    def __init__(
        self,
        *,
        connect: Callable[[], Connection],
        begin: Callable[[Connection], None],
        perform: Callable[[Connection, Call], Answer],
        patiently: Patiently,
        check: Callable[[Connection], None],
        is_memory: bool,
    ) -> None:
        self._connect = connect
        self._check = check
        self._perform = perform
        self._patiently = patiently
        self._is_memory = is_memory
        self.writer = Writer(connect=connect, begin=begin, perform=perform)
        # A database in memory lives in one connection, which then serves every lane.
        self._beat = self.writer if is_memory else Writer(connect=connect, begin=begin, perform=perform)
        self._readers: list[Connection] = []

    def execute(self, call: Call) -> Answer:
        """Carry out one call on its lane."""
        if not call.lane.writes and not self._is_memory:
            return self._read(call)
        return (self._beat if call.lane is Lane.BEAT else self.writer).execute(call)

    def close(self) -> None:
        """Close every connection."""
        self.writer.close()
        self._beat.close()
        while self._readers:
            self._readers.pop().close()

    def abandon(self) -> None:
        """Forget connections that belong to the parent process, without closing them."""
        for connection in (self.writer.connection, self._beat.connection, *self._readers):
            if connection is not None:
                keep_for_ever(connection.carried_over())

    def look(self, at: Callable[[Connection], T]) -> T:
        """Read something that is no call."""
        if self._is_memory:
            return self.writer.run_alone(at)
        with self._reader() as connection:
            return self._patiently(lambda: at(connection))

    def _read(self, call: Call) -> Answer:
        with self._reader() as connection:
            # Even a reader has to wait when somebody repairs the log's index after a crash.
            return self._patiently(lambda: self._read_on(connection, call))

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        try:
            connection = self._readers.pop()
        except IndexError:
            connection = self._connect()
        try:
            self._check(connection)
            yield connection
        finally:
            if len(self._readers) < _READERS_KEPT:
                self._readers.append(connection)
            else:
                connection.close()

    def _read_on(self, connection: Connection, call: Call) -> Answer:
        # One snapshot for all statements of the call.
        connection.run("BEGIN")
        try:
            return self._perform(connection, call)
        finally:
            if connection.is_in_transaction:
                connection.run("COMMIT")
