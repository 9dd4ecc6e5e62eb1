"""The connections of one process to one file: a writer, a heartbeat writer, readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from windlass.forks import leak
from windlass.store.operation import Answer, Lane
from windlass.store.sqlite.group_commit import GroupCommit
from windlass.store.sqlite.libraries import Connection
from windlass.store.sqlite.statements import Prepared

_READERS_KEPT = 4

T = TypeVar("T")


class RetryWhileBusy(Protocol):
    """Tries something until it works or the deadline has come."""

    def __call__(self, attempt: Callable[[], T]) -> T: ...


class Connections:
    """A writer, a heartbeat that waits for no writer of this process, and readers that wait for nobody."""

    def __init__(
        self,
        *,
        connect: Callable[[], Connection],
        begin: Callable[[Connection], None],
        perform: Callable[[Connection, Prepared], Answer],
        retry_while_busy: RetryWhileBusy,
        check: Callable[[Connection], None],
        is_memory: bool,
    ) -> None:
        self._connect = connect
        self._check = check
        self._perform = perform
        self._retry_while_busy = retry_while_busy
        self._is_memory = is_memory
        self.writer = GroupCommit(connect=connect, begin=begin, perform=perform)
        # A database in memory lives in one connection, which then serves every lane.
        self._beat = self.writer if is_memory else GroupCommit(connect=connect, begin=begin, perform=perform)
        self._readers: list[Connection] = []

    def execute(self, call: Prepared, lane: Lane) -> Answer:
        """Carry out one call on its lane."""
        if not lane.writes and not self._is_memory:
            # Even a reader has to wait when another process repairs the log's index after a crash.
            return self._reading(lambda connection: self._read_on(connection, call))
        return (self._beat if lane is Lane.HEARTBEAT else self.writer).execute(call)

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
                leak(connection.carried_over())

    def look(self, at: Callable[[Connection], T]) -> T:
        """Read something that is no call."""
        if self._is_memory:
            return self.writer.run_alone(at)
        return self._reading(at)

    def _reading(self, work: Callable[[Connection], T]) -> T:
        connection: Connection | None = None
        try:
            connection = reader = self._reader()
            self._check(reader)
            return self._retry_while_busy(lambda: work(reader))
        finally:
            if connection is not None:
                self._keep(connection)

    def _reader(self) -> Connection:
        try:
            return self._readers.pop()
        except IndexError:
            return self._connect()

    def _keep(self, connection: Connection) -> None:
        # One that is still in a transaction was struck by an exception from outside when it should have ended it.
        if len(self._readers) < _READERS_KEPT and not connection.is_in_transaction:
            self._readers.append(connection)
        else:
            connection.close()

    def _read_on(self, connection: Connection, call: Prepared) -> Answer:
        try:
            connection.run("BEGIN")  # one snapshot for all statements of the call
            return self._perform(connection, call)
        finally:
            if connection.is_in_transaction:
                connection.run("COMMIT")
