"""Checks that the open files are still those at their path.

SQLite works on with files that were deleted, moved or replaced: whatever is committed then is acknowledged, and lost.
So the file that a store was opened with is remembered for as long as the store lives, and its log and the log's index
for as long as connections have them open.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.forks import leak
from windlass.store.sqlite.guards.wal_size import WalSize
from windlass.store.sqlite.libraries import Busy, Connection

_Identity = tuple[int, int]
"""Device and inode."""

_LOG_EVERY = 0.1
"""How many seconds lie between two looks at the log and its index, which are never deleted on purpose."""


class LogDeleted(StoreUnavailable):
    """The log or its index is gone. Processes that still have it open have the only copy of its contents."""


class LogReplaced(StoreUnavailable):
    """Another log or index has taken the place of the one that is open: neither describes the other."""


_given_up: set[_Identity] = set()
"""Files whose former log or index this process still has open, and must not close."""


class FileIdentity:
    """The file that a store was first opened with, its log, and the log's index.

    A ``path`` of None is a database in memory, which has no files.
    """

    def __init__(self, path: str | None, wal_size: WalSize) -> None:
        self._path = path
        self._wal_size = wal_size
        self._file: _Identity | None = None
        self._log: dict[str, _Identity | None] = {}
        self._looked = 0.0

    def check(self, connection: Connection) -> None:
        """Raise ``StoreUnavailable`` where the files of a connection are no longer those at their path.

        For before each transaction.
        """
        self._check_file()
        now = clock.monotonic()
        if now - self._looked >= _LOG_EVERY:
            self._check_log_of(connection)
            self._wal_size.check()
            self._looked = now

    def check_all(self) -> None:
        """The same with the newest of the log: to open one that is gone would make an empty one in its place."""
        self._check_file()
        self._check_log()

    def may_close(self) -> bool:
        """Whether connections may be closed: one whose log was replaced would damage the file."""
        try:
            self.check_all()
        except LogReplaced:
            return False
        except StoreUnavailable:
            pass  # without the file SQLite keeps the log; without the log it saves what it held
        return True

    def check_beginning(self) -> None:
        """Raise ``StoreUnavailable`` where this process cannot open the file any more, whichever store asks for it."""
        if self._path is not None and _identity(self._path) in _given_up:
            raise StoreUnavailable(f"{self._path}: its log was replaced while this process had it open; restart it")

    def note_file(self) -> None:
        """Remember the file, which was just opened; raises ``StoreUnavailable`` when it is another one than before."""
        self._check_file()
        if self._path is not None:
            self._file = _identity(self._path)

    def note_log(self) -> None:
        """Remember the log and its index, which exist from a connection's first reading on."""
        if self._path is not None and not self._log:
            real = os.path.realpath(self._path)  # they lie beside the file, not beside a link to it
            self._log = {path: _identity(path) for path in (f"{real}-wal", f"{real}-shm")}

    def forget_log(self) -> None:
        """All connections are closed; SQLite deletes the log unless another process has it open."""
        self._log = {}

    def forget(self) -> None:
        """The file could not be used after all: next time it may be another one."""
        self._file = None
        self.forget_log()

    def _check_file(self) -> None:
        if self._path is not None and self._file is not None and _identity(self._path) != self._file:
            raise _file_lost(self._path, self._file)

    def _check_log_of(self, connection: Connection) -> None:
        try:
            self._check_log()
        except LogDeleted:
            # Only this process can still read the log: a checkpoint saves what it holds.
            with suppress(Busy, StoreUnavailable):
                connection.run("PRAGMA wal_checkpoint")
            raise
        except LogReplaced:
            # Closing would checkpoint a log that no longer matches its index, and damage the file.
            leak(connection.carried_over())
            raise

    def _check_log(self) -> None:
        changed = {path: found for path, noted in self._log.items() if (found := _identity(path)) != noted}
        if not changed:
            return
        names = " and ".join(changed)
        if not any(changed.values()):
            raise LogDeleted(f"{names}: deleted while in use; stop all processes that use the file, then start them")
        if self._file is not None:
            _given_up.add(self._file)
        raise LogReplaced(
            f"{names}: deleted while in use, and made anew by another process; stop all processes that use the file, "
            "check it (PRAGMA integrity_check), then start them"
        )


def _identity(path: str) -> _Identity | None:
    """Which file a path leads to; None where there is none, or none that we can reach."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _file_lost(path: str, file: _Identity) -> StoreUnavailable:
    fate = _fate(file)
    if _identity(path) is not None:
        return StoreUnavailable(
            f"{path}: is another file than before; the one in use {fate}. If that is meant, restart this process to "
            "work with the new one"
        )
    return StoreUnavailable(
        f"{path}: {fate} while in use. If the same file is put back, work goes on; otherwise restart this process to "
        "begin with a new one"
    )


def _fate(file: _Identity) -> str:
    """What became of a file that we have open; only Linux knows."""
    for descriptor in Path("/proc/self/fd").glob("*"):
        try:
            if _identity(str(descriptor)) == file:
                return f"was moved to {descriptor.readlink()}" if descriptor.stat().st_nlink else "was deleted"
        except OSError:
            continue  # closed by another thread
    return "was deleted or moved away"
