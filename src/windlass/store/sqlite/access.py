"""Opens connections, begins transactions, and retries while the file is busy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.forks import leak
from windlass.store.sqlite import schema
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.guards.file_identity import FileIdentity, LogDeleted, LogReplaced
from windlass.store.sqlite.libraries import Busy, Connection, connect

T = TypeVar("T")


class Access:
    """Opens connections to one file, as long as it is the same file."""

    def __init__(self, address: Address, file_identity: FileIdentity, *, deadline: float) -> None:
        self._address = address
        self._file_identity = file_identity
        self._deadline = deadline

    def connect(self) -> Connection:
        """A new connection, ready for its first statement."""
        self._file_identity.check_all()
        connection = connect(self._address)
        try:
            self._file_identity.note_file()
            self.retry_while_busy(
                lambda: schema.set_up(connection, durability=self._address.durability, path=self._address.path)
            )
            self._file_identity.note_log()
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Connection) -> None:
        """Begin to write; raises ``Busy`` when another has not ended by the deadline."""
        self.retry_while_busy(lambda: self._try_to_begin(connection))

    def retry_while_busy(self, attempt: Callable[[], T]) -> T:
        """Try until it works or the deadline has come.

        SQLite's own waiting backs off so far that one writer can starve; short waits with jitter are fair.
        """
        try:
            return attempt()
        except Busy:
            until = clock.monotonic() + self._deadline
            while True:
                clock.sleep(0.0001 + 0.0002 * clock.roll())
                try:
                    return attempt()
                except Busy:
                    if clock.monotonic() >= until:
                        raise

    def check(self, connection: Connection) -> None:
        """Raise ``StoreUnavailable`` where the connection's files are no longer those at their path."""
        try:
            self._file_identity.check()
        except LogDeleted:
            # Only this process can still read the log: a checkpoint saves what it holds.
            with suppress(Busy, StoreUnavailable):
                connection.run("PRAGMA wal_checkpoint")
            raise
        except LogReplaced:
            # Closing would checkpoint a log that no longer matches its index, and damage the file.
            leak(connection.carried_over())
            raise

    def _try_to_begin(self, connection: Connection) -> None:
        self.check(connection)
        connection.run("BEGIN IMMEDIATE")
