"""psycopg 3, sync and async."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import Any

from psycopg import AsyncConnection, AsyncRawCursor, Connection, Error, RawCursor
from psycopg.pq import PipelineStatus
from psycopg.rows import tuple_row

from windlass.errors import StoreUnavailable
from windlass.store.caller.channel import AsyncChannel, Channel, Values
from windlass.store.caller.script import Look, Query, Reply, reply

# The cursors are our own: the caller's connection may make others, which give rows as dictionaries or take another
# notation of parameters. Where the caller has a pipeline open, each statement has one of its own inside it, which ends
# only when the answer is there: the next step depends on it.


class PsycopgChannel(Channel):
    """``psycopg.Connection``."""

    database = "postgresql"

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def query(self, text: str, values: Values) -> Reply:
        with RawCursor(self._connection, row_factory=tuple_row) as cursor:
            with ExitStack() as answered:
                if _is_pipelined(self._connection):
                    try:
                        answered.enter_context(self._connection.pipeline())
                    except Error as error:
                        raise _failed_before(error) from error
                cursor.execute(text.encode(), values or None)
            if cursor.description is None:
                return reply()
            return reply([column.name for column in cursor.description], _as_text(cursor.fetchall()))


class AsyncPsycopgChannel(AsyncChannel):
    """``psycopg.AsyncConnection``."""

    database = "postgresql"

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection

    async def take_theirs(self, step: Query | Look) -> Reply:
        assert isinstance(step, Query), "PostgreSQL itself answers all that a script asks"
        async with AsyncRawCursor(self._connection, row_factory=tuple_row) as cursor:
            async with AsyncExitStack() as answered:
                if _is_pipelined(self._connection):
                    try:
                        await answered.enter_async_context(self._connection.pipeline())
                    except Error as error:
                        raise _failed_before(error) from error
                await cursor.execute(step.text.encode(), step.values or None)
            if cursor.description is None:
                return reply()
            return reply([column.name for column in cursor.description], _as_text(await cursor.fetchall()))


def _is_pipelined(connection: Connection[Any] | AsyncConnection[Any]) -> bool:
    return connection.info.pipeline_status != PipelineStatus.OFF


def _failed_before(error: Error) -> StoreUnavailable:
    said = error.diag.message_primary or error  # the rest of it quotes the statement
    return StoreUnavailable(f"an earlier statement of this pipeline failed, and nothing was enqueued ({said})")


def _as_text(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """A connection with the encoding SQL_ASCII gives bytes in place of text; what we write is UTF-8."""
    return [tuple(value.decode() if isinstance(value, bytes) else value for value in row) for row in rows]
