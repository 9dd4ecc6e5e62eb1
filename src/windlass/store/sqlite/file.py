"""One database file: opens connections to it, begins transactions, and retries while it is busy."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar, TypeVarTuple

from windlass import clock
from windlass.store.sqlite import schema
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.guards.file_identity import FileIdentity
from windlass.store.sqlite.guards.network_mount import warn_of_network
from windlass.store.sqlite.guards.two_libraries import claim_file, yield_file
from windlass.store.sqlite.guards.wal_size import WalSize
from windlass.store.sqlite.libraries import Busy, Connection, carry_out, connect

_PAUSE = 0.0002
"""Seconds between two attempts, on average."""
_LONGEST_PAUSE = 0.003
_PAUSE_GROWS = 0.02
"""A pause is so much of the time that was waited before."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class DatabaseFile:
    """Opens connections to one file, as long as it is the same file.

    ``deadline`` is how many seconds a caller may wait for other writers. A log of more than ``large_log`` bytes is
    warned about.
    """

    def __init__(self, address: Address, *, deadline: float, large_log: int) -> None:
        self._address = address
        self._deadline = deadline
        self._is_only_ours = address.library == "apsw" and not address.is_memory
        self.is_memory = address.is_memory
        self.identity = FileIdentity(
            None if address.is_memory else address.path, WalSize(address.path, large=large_log)
        )

    def take(self) -> None:
        """Say that this process has the file open; raises where it must not."""
        self.identity.check_beginning()
        if self._is_only_ours:
            claim_file(self._address.path, by=id(self))

    def let_go(self) -> None:
        """Say that all connections are closed."""
        if self._is_only_ours:
            yield_file(self._address.path, by=id(self))

    def warn_of_place(self) -> None:
        """Warn where the file lies on a file system that is not meant for it."""
        if not self.is_memory:
            warn_of_network(self._address.path)

    def has_schema(self, prefix: str) -> bool:
        """Whether the file is there, as far as we may know, and has our tables."""
        try:
            os.stat(self._address.path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            pass  # to open it says what is wrong
        try:
            self.take()
            # A connection of its own, which sets nothing up: that would change a file that may not be ours.
            with closing(connect(self._address)) as connection:
                return self.retry_while_busy(lambda: carry_out(schema.version(prefix), connection)) > 0
        finally:
            self.let_go()

    def connect(self) -> Connection:
        """A new connection, ready for its first statement."""
        self.identity.check_all()
        connection = connect(self._address)
        try:
            self.identity.note_file()
            self.retry_while_busy(
                lambda: schema.set_up(connection, durability=self._address.durability, path=self._address.path)
            )
            self.identity.note_log()
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Connection) -> None:
        """Begin to write; raises ``Busy`` when another has not ended by the deadline."""
        self.retry_while_busy(self._try_to_begin, connection)

    def retry_while_busy(self, attempt: Callable[[*Ts], T], *args: *Ts) -> T:
        """Try until it works or the deadline has come.

        SQLite's own waiting backs off so far that one writer can starve; short waits with jitter are fair. Only where
        one has waited for long, because very many processes want to write, they grow a little: each attempt takes time
        from the process that has the lock.
        """
        try:
            return attempt(*args)
        except Busy:
            began = now = clock.monotonic()
            while True:
                clock.sleep(min(_LONGEST_PAUSE, max(_PAUSE, (now - began) * _PAUSE_GROWS)) * (0.5 + clock.roll()))
                try:
                    return attempt(*args)
                except Busy:
                    now = clock.monotonic()
                    if now - began >= self._deadline:
                        raise

    def _try_to_begin(self, connection: Connection) -> None:
        self.identity.check(connection)
        connection.run("BEGIN IMMEDIATE")
