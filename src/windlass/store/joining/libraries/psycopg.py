"""Connections of psycopg 3."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection, AsyncRawCursor, Connection, RawCursor
from psycopg.rows import tuple_row

from windlass.store.joining.channel import AsyncChannel, Channel, Values
from windlass.store.joining.script import Look, Query, Reply, reply

# The cursors are our own: the caller's connection may make others, which give rows as dictionaries or take another
# notation of parameters.


class PsycopgChannel(Channel):
    """``psycopg.Connection``."""

    database = "postgresql"

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def query(self, text: str, values: Values) -> Reply:
        with RawCursor(self._connection, row_factory=tuple_row) as cursor:
            cursor.execute(text.encode(), values or None)
            if cursor.description is None:
                return reply()
            return reply([column.name for column in cursor.description], cursor.fetchall())


class AsyncPsycopgChannel(AsyncChannel):
    """``psycopg.AsyncConnection``."""

    database = "postgresql"

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection

    async def take_theirs(self, step: Query | Look) -> Reply:
        assert isinstance(step, Query), "PostgreSQL itself tells all that a script wants to know"
        async with AsyncRawCursor(self._connection, row_factory=tuple_row) as cursor:
            await cursor.execute(step.text.encode(), step.values or None)
            if cursor.description is None:
                return reply()
            return reply([column.name for column in cursor.description], await cursor.fetchall())
