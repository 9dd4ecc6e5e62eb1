"""Applications that use a PostgreSQL driver directly."""

from __future__ import annotations

from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import psycopg
import psycopg2  # type: ignore[import-untyped]  # nor does it

from tests.transactions.callers.caller import AsyncCaller, Caller


class Psycopg(Caller):
    def __init__(self, dsn: str, *, autocommit: bool = False) -> None:
        self.connection = psycopg.connect(dsn, autocommit=autocommit)

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)


class AsyncPsycopg(AsyncCaller):
    def __init__(self, dsn: str, *, autocommit: bool = False) -> None:
        super().__init__()
        self.connection = self.run(psycopg.AsyncConnection.connect(dsn, autocommit=autocommit))

    async def aexecute(self, statement: str) -> None:
        await self.connection.execute(statement)


class Psycopg2(Caller):
    def __init__(self, dsn: str, *, autocommit: bool = False) -> None:
        self.connection = psycopg2.connect(dsn)
        self.connection.autocommit = autocommit

    def execute(self, statement: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(statement)


class Asyncpg(AsyncCaller):
    """The connection of a pool, which wraps the real one."""

    def __init__(self, dsn: str, *, autocommit: bool = False) -> None:
        super().__init__()
        self._autocommit = autocommit
        self._transaction: Any = None
        self.run(self._open(dsn))

    async def _open(self, dsn: str) -> None:
        self._pool = await asyncpg.create_pool(dsn, min_size=1, max_size=1)
        self.connection = await self._pool.acquire()
        await self._begin()

    async def _begin(self) -> None:
        if not self._autocommit:
            self._transaction = self.connection.transaction()
            await self._transaction.start()

    async def aexecute(self, statement: str) -> None:
        await self.connection.execute(statement)

    def commit(self) -> None:
        async def commit() -> None:
            await self._transaction.commit()
            await self._begin()

        self.run(commit())

    def rollback(self) -> None:
        async def rollback() -> None:
            await self._transaction.rollback()
            await self._begin()

        self.run(rollback())

    async def aclose(self) -> None:
        await self.connection.close()
        self._pool.terminate()
