"""apsw and sqlite3 behind one small interface.

``apsw`` brings the newest SQLite and is for files of our own; the standard library's module is for a file that is the
application's own database. Both must never have one file open in one process: each would drop the other's locks.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Mapping
from functools import cache
from typing import Any, Protocol, TypeVar

import apsw

from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.driver import DataRejected
from windlass.store.sqlite.address import Address

A = TypeVar("A")

Rows = list[tuple[Any, ...]]
Statements = Generator[tuple[str, Mapping[str, Any]], Rows, A]
"""Work that yields statements with their values and wants the rows of each, so that any connection can carry it out."""


class Busy(Exception):
    """Another connection is writing; try again soon."""


class Connection(Protocol):
    """One connection; not for two threads at once."""

    def run(self, text: str, params: Mapping[str, Any] | None = None) -> Rows:
        """Execute one statement; raises ``Busy``, ``DataRejected`` or ``StoreUnavailable``."""

    has_refused_commit: bool
    """Whether SQLite refused the last commit that it was asked for."""

    def commit(self) -> None:
        """Commit; raises like ``run``. Afterwards, whatever was raised here from outside, a connection that is in no
        transaction has committed unless ``has_refused_commit`` says otherwise.
        """

    @property
    def is_in_transaction(self) -> bool: ...

    @property
    def changes(self) -> int:
        """How many rows it has changed since it was opened."""

    def close(self) -> None: ...

    def carried_over(self) -> object:
        """What a forked child must keep alive for ever: closing it would harm the parent."""


class _Opened:
    """What both libraries have in common."""

    _connection: apsw.Connection | sqlite3.Connection
    has_refused_commit = False

    @property
    def is_in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        self._connection.close()

    def carried_over(self) -> object:
        return self._connection


class ApswConnection(_Opened):
    """A connection through apsw."""

    _connection: apsw.Connection

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._connection = apsw.Connection(path, statementcachesize=400)
            # This build of SQLite plans a statement anew whenever a value changes that is compared with an index, which
            # takes longer than to run it; our plans do not depend on values.
            self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        except apsw.Error as error:
            raise _translate_apsw(error, path) from error

    def run(self, text: str, params: Mapping[str, Any] | None = None) -> Rows:
        try:
            return list(self._connection.execute(text, params))
        except apsw.BusyError as error:
            raise Busy from error
        except (apsw.Error, UnicodeError, OverflowError) as error:
            raise _translate_apsw(error, self._path) from error

    @property
    def changes(self) -> int:
        return self._connection.total_changes()

    def commit(self) -> None:
        self.has_refused_commit = False
        try:
            self._connection.execute("COMMIT")
        except apsw.BusyError as error:
            raise Busy from error  # the transaction is still open
        except apsw.Error as error:
            self.has_refused_commit = True  # before anything else: the interpreter looks for exceptions at calls
            raise _translate_apsw(error, self._path) from error


class StdlibConnection(_Opened):
    """A connection through the standard library's module."""

    _connection: sqlite3.Connection

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise translate_stdlib(error, path) from error

    def run(self, text: str, params: Mapping[str, Any] | None = None) -> Rows:
        try:
            return self._connection.execute(for_this_sqlite(text), params or {}).fetchall()
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise translate_stdlib(error, self._path) from error

    @property
    def changes(self) -> int:
        return self._connection.total_changes

    def commit(self) -> None:
        self.has_refused_commit = False
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.has_refused_commit = True  # before anything else: the interpreter looks for exceptions at calls
            raise translate_stdlib(error, self._path) from error


@cache
def for_this_sqlite(text: str) -> str:
    """A statement as this machine's SQLite takes it: an older one knows some functions by a slower name only."""
    if sqlite3.sqlite_version_info < (3, 51):
        text = text.replace("jsonb_each(", "json_each(")
    if sqlite3.sqlite_version_info < (3, 43):
        text = re.sub(r"octet_length\((\w+)\)", r"length(CAST(\1 AS BLOB))", text)
    return text


def carry_out(statements: Statements[A], connection: Connection) -> A:
    """Run statements on a connection of our own."""
    try:
        text, values = next(statements)
        while True:
            text, values = statements.send(connection.run(text, values))
    except StopIteration as stop:
        result: A = stop.value
        return result


def connect(address: Address) -> ApswConnection | StdlibConnection:
    """Open the file with the library that the address asks for."""
    return ApswConnection(address.path) if address.library == "apsw" else StdlibConnection(address.path)


_DATA_CODES = {apsw.SQLITE_CONSTRAINT, apsw.SQLITE_TOOBIG, apsw.SQLITE_MISMATCH, apsw.SQLITE_RANGE}
_HINTS = {
    apsw.SQLITE_FULL: "the disk is full",
    apsw.SQLITE_READONLY: "the file or its folder cannot be written to",
    apsw.SQLITE_CANTOPEN: "cannot be opened; does its folder exist, and may this user write there?",
    apsw.SQLITE_PERM: "permission was denied",
    apsw.SQLITE_NOTADB: "is not an SQLite database",
    apsw.SQLITE_CORRUPT: "is damaged; restore it from a backup",
    apsw.SQLITE_IOERR: "could not be read or written",
}


def _translate_apsw(error: Exception, path: str) -> WindlassError:
    return _translated(error, path, getattr(error, "result", apsw.SQLITE_ERROR))


def translate_stdlib(error: Exception, path: str) -> Busy | WindlassError:
    """What an exception of the standard library's module means."""
    code = getattr(error, "sqlite_errorcode", apsw.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy()
    return _translated(error, path, code)


def _translated(error: Exception, path: str, code: int) -> WindlassError:
    if code in _DATA_CODES or isinstance(error, UnicodeError | OverflowError) or "malformed JSON" in str(error):
        return DataRejected(f"{path}: {error}")
    return StoreUnavailable(f"{path}: {_HINTS.get(code, 'SQLite refused the call')} ({error})")
