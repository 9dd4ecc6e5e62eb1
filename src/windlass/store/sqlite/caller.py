"""Calls inside the caller's transaction on the same file."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import Protocol, TypeVar

from windlass.errors import ConfigError, StoreUnavailable
from windlass.store.caller.errors import is_of_library, origin
from windlass.store.caller.script import Look, Query, Script, all_or_nothing
from windlass.store.operation import Answer, Call
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.libraries import Busy, Statements, for_this_sqlite, translate_stdlib
from windlass.store.sqlite.statements import Calls, GuardHit

A = TypeVar("A")


class _Connection(Protocol):
    in_transaction: bool
    isolation_level: str | None


class _Standing(Enum):
    OPEN = "a transaction is open"
    IMPLICIT = "the library begins one before the first write"
    AUTOCOMMIT = "every statement commits by itself"


class SqliteScripts:
    """How calls are carried out on a caller's connection."""

    def __init__(self, address: Address, calls: Calls, *, up_to_date: Callable[[], Statements[list[str]]]) -> None:
        self._path = address.path
        self._calls = calls
        self._up_to_date = up_to_date

    def carry_out(self, call: Call) -> Script[Answer]:
        """Carry out one call; whatever goes wrong, the caller's transaction goes on as if it had not been asked."""
        try:
            yield from self._begin()
            answer = yield from all_or_nothing(self._perform(call))
        except GuardHit as guarded:
            return guarded.answer
        except Exception as error:
            if not is_of_library(error):
                raise
            raise self._meaning(error) from error
        return answer

    def _begin(self) -> Script[None]:
        standing = yield Look(_standing)
        if standing is _Standing.AUTOCOMMIT:
            raise ConfigError(
                f"{self._path}: the connection has no transaction open and commits every statement by itself; "
                "begin one first (BEGIN IMMEDIATE)"
            )
        if standing is _Standing.IMPLICIT:
            # What the library does before a write, but so that another writer cannot come between our reading and it.
            yield Query("BEGIN IMMEDIATE")

    def _perform(self, call: Call) -> Script[Answer]:
        yield from self._refuse_another_file()
        # In here, because our own connections would wait for ever for a caller who has written already.
        yield from _asked(self._up_to_date())
        return (yield from _asked(self._calls.bind(call).performed()))

    def _refuse_another_file(self) -> Script[None]:
        reply = yield Query("PRAGMA database_list")
        [file] = [file for _, name, file in reply.rows if name == "main"]
        if not _is_same_file(file, self._path):
            raise ConfigError(
                f"{self._path}: the connection is to another database ({file or 'in memory'}); "
                "only one to the store's own file can be used (to enqueue, none is needed)"
            )

    def _meaning(self, error: Exception) -> Exception:
        inner = origin(error)
        assert isinstance(inner, Exception)
        meaning = translate_stdlib(inner, self._path)
        if isinstance(meaning, Busy):
            return StoreUnavailable(
                f"{self._path}: another connection is writing, or has written since your transaction first read; "
                "begin it with BEGIN IMMEDIATE, so that it waits for its turn at the start"
            )
        return meaning


def _standing(connection: _Connection) -> _Standing:
    if connection.in_transaction:
        return _Standing.OPEN
    # Python 3.12 has a second switch, which overrides the first unless it is left at its default, -1.
    is_autocommit = connection.isolation_level is None or getattr(connection, "autocommit", -1) is True
    return _Standing.AUTOCOMMIT if is_autocommit else _Standing.IMPLICIT


def _asked(statements: Statements[A]) -> Script[A]:
    """Put statements to the caller's connection."""
    try:
        text, values = next(statements)
        while True:
            reply = yield Query(for_this_sqlite(text), values)
            text, values = statements.send(reply.rows)
    except StopIteration as stop:
        result: A = stop.value
        return result


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
