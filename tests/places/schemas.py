"""Schemas of a PostgreSQL server, each for one test at a time.

Making one takes longer than most tests do. So one that nobody uses any more is emptied and given to the next test.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.sql import SQL, Composable, Identifier, Literal

from tests.waiting import has_come

_LEFT_WITHIN = 0.5
"""Seconds; the server notices a little later that somebody has hung up."""
_SMALL = 1 << 18
"""Bytes; what deleted rows leave behind would change how the server goes about the next test, or be swept in it."""

_DRIVERS = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'windlass'"
_TABLES = """
    SELECT relname, pg_relation_size(oid) FROM pg_class
    WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' AND relname <> 'schema'
"""
_COUNT_ANEW = """
    SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relnamespace = to_regnamespace({}) AND relkind = 'S'
"""

_Connection = psycopg.Connection[tuple[Any, ...]]


@contextmanager
def schemas_of(dsn: str, *, has_pooler: bool = False) -> Iterator[Schemas]:
    """The schemas of the tests of one process in a database; none of them is left at the end."""
    schemas = Schemas(dsn, is_shared="TEST_PG_DSN" in os.environ, has_pooler=has_pooler)
    try:
        yield schemas
    finally:
        schemas.drop_all()


class Schemas:
    """Names of schemas in one database; each is empty, or not there yet.

    They are emptied over one connection: a new one would have to learn each time what the tables are.

    In a database that is shared with other processes none is used again: nobody can tell who is connected for what.
    Behind a pooler connections say nothing, because it keeps them; its tests leave nobody behind.
    """

    def __init__(self, dsn: str, *, is_shared: bool, has_pooler: bool = False) -> None:
        self._dsn = dsn
        self._is_shared = is_shared
        self._has_pooler = has_pooler
        self._emptied: list[str] = []
        self._taken: set[str] = set()
        self._connection: _Connection | None = None

    def take(self) -> str:
        # Random, not counted: a server that the environment names is shared with other runs.
        name = self._emptied.pop() if self._emptied else f"t_{uuid4().hex[:16]}"
        self._taken.add(name)
        return name

    def give_back(self, url: str, name: str) -> None:
        """A second time is harmless."""
        if name not in self._taken:
            return
        self._taken.remove(name)
        connection = self._connected()
        tables: dict[str, int] = dict(connection.execute(_TABLES, [_quoted(name)]).fetchall())
        if tables and sum(tables.values()) < _SMALL and self._is_left(connection):
            _empty(connection, name, list(tables))
            self._emptied.append(name)
        else:
            _drop(connection, name)

    def drop_all(self) -> None:
        for name in self._emptied:
            _drop(self._connected(), name)
        self._emptied.clear()
        if self._connection is not None:
            self._connection.close()

    def _connected(self) -> _Connection:
        """The connection, or another if a test has ended those of its server."""
        if self._connection is not None:
            try:
                self._connection.execute("SELECT")
            except psycopg.Error:
                self._connection.close()
                self._connection = None
        self._connection = self._connection or psycopg.connect(self._dsn, autocommit=True)
        return self._connection

    def _is_left(self, connection: _Connection) -> bool:
        """Whether nobody is there whom a test left behind, and who may still write."""
        if self._is_shared:
            return False
        return self._has_pooler or has_come(
            lambda: connection.execute(_DRIVERS).fetchone() is None, seconds=_LEFT_WITHIN
        )


def _empty(connection: _Connection, name: str, tables: list[str]) -> None:
    statements: list[Composable] = [SQL("SET LOCAL session_replication_role = replica")]  # without triggers
    statements += [SQL("DELETE FROM {}").format(Identifier(name, table)) for table in tables]
    statements.append(SQL(_COUNT_ANEW).format(Literal(_quoted(name))))
    connection.execute(SQL(";").join(statements))


def _drop(connection: _Connection, name: str) -> None:
    connection.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(name)))


def _quoted(name: str) -> str:
    return f'"{name}"'
