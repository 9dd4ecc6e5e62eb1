"""Getting at the file: connections, the turn to write, and the patience that both need."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.store.carried import keep_for_ever
from windlass.store.sqlite import schema
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.library import Busy, Connection, connect
from windlass.store.sqlite.whereabouts import LogDeleted, LogReplaced, Whereabouts

T = TypeVar("T")


class Access:
    """Opens connections to one file, as long as it is the same file."""

    def __init__(self, address: Address, whereabouts: Whereabouts, *, deadline: float) -> None:
        self._address = address
        self._whereabouts = whereabouts
        self._deadline = deadline

    def connect(self) -> Connection:
        """A new connection, ready for its first statement."""
        self._whereabouts.check_all()
        connection = connect(self._address)
        try:
            self._whereabouts.note_file()
            self.patiently(
                lambda: schema.set_up(connection, durability=self._address.durability, path=self._address.path)
            )
            self._whereabouts.note_log()
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Connection) -> None:
        """Begin to write; raises ``Busy`` when another has not ended by the deadline."""
        self.patiently(lambda: self._try_to_begin(connection))

    def patiently(self, attempt: Callable[[], T]) -> T:
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
            self._whereabouts.check()
        except LogDeleted:
            # Nobody else can read it any more: what it holds is saved if it gets into the file before we end.
            with suppress(Busy, StoreUnavailable):
                connection.run("PRAGMA wal_checkpoint")
            raise
        except LogReplaced:
            # Who closes last brings the log into the file as the index has it, and one of them is not ours any more.
            keep_for_ever(connection.carried_over())
            raise

    def _try_to_begin(self, connection: Connection) -> None:
        self.check(connection)
        connection.run("BEGIN IMMEDIATE")
