"""The connections of one process to one file: a writer, a heartbeat writer, readers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from windlass.forks import leak
from windlass.store.operation import Answer, Lane
from windlass.store.sqlite.file import DatabaseFile
from windlass.store.sqlite.group_commit import GroupCommit
from windlass.store.sqlite.libraries import Connection
from windlass.store.sqlite.statements import BoundCall

_READERS_KEPT = 4

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Connections:
    """A writer, a heartbeat that waits for no writer of this process, and readers that never wait."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file
        self.writer = GroupCommit(file)
        # A database in memory lives in one connection, which then serves every lane.
        self._beat = self.writer if file.is_memory else GroupCommit(file)
        self._readers: list[Connection] = []

    def execute(self, call: BoundCall, lane: Lane) -> Answer:
        """Carry out one call on its lane."""
        if not lane.writes and not self._file.is_memory:
            return self._reading(_read, call)
        if lane is Lane.UPKEEP:
            return self._keep_up(call)
        return (self._beat if lane is Lane.HEARTBEAT else self.writer).execute(call)

    def _keep_up(self, call: BoundCall) -> Answer:
        """Carry out upkeep beside the calls of others, which it should hold up as little as it can."""
        if call.reads_ahead and not self._file.is_memory:
            call = self._reading(call.read_ahead)
        if not call.statements:
            return call.found
        return self.writer.execute_with_next(call)

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

    def read(self, at: Callable[[Connection], T]) -> T:
        """Read something that is no call."""
        if self._file.is_memory:
            return self.writer.run_alone(at)
        return self._reading(at)

    def _reading(self, work: Callable[[Connection, *Ts], T], *args: *Ts) -> T:
        connection: Connection | None = None
        try:
            connection = reader = self._reader()
            self._file.identity.check(reader)
            # Even a reader has to wait when another process repairs the log's index after a crash.
            return self._file.retry_while_busy(work, reader, *args)
        finally:
            if connection is not None:
                self._keep(connection)

    def _reader(self) -> Connection:
        try:
            return self._readers.pop()
        except IndexError:
            return self._file.connect()

    def _keep(self, connection: Connection) -> None:
        # One that is still in a transaction was struck by an exception from outside when it should have ended it.
        if len(self._readers) < _READERS_KEPT and not connection.is_in_transaction:
            self._readers.append(connection)
        else:
            connection.close()


def _read(connection: Connection, call: BoundCall) -> Answer:
    try:
        connection.run("BEGIN")  # one snapshot for all statements of the call
        return call.run_on(connection)
    finally:
        if connection.is_in_transaction:
            connection.run("COMMIT")
