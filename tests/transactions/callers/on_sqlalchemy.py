"""Applications that use SQLAlchemy."""

from __future__ import annotations

from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from tests.transactions.callers.caller import AsyncCaller, Caller


class SqlalchemyConnection(Caller):
    def __init__(self, url: str, *, autocommit: bool = False) -> None:
        self._engine = create_engine(url, poolclass=NullPool)
        self.connection = self._engine.connect()
        if autocommit:
            self.connection = self.connection.execution_options(isolation_level="AUTOCOMMIT")

    def execute(self, statement: str) -> None:
        self.connection.execute(text(statement))


class SqlalchemySession(Caller):
    def __init__(self, url: str, *, autocommit: bool = False) -> None:
        options = {"isolation_level": "AUTOCOMMIT"} if autocommit else {}
        self.connection = Session(create_engine(url, poolclass=NullPool, **options))

    def execute(self, statement: str) -> None:
        self.connection.execute(text(statement))


class SqlalchemyAsyncConnection(AsyncCaller):
    def __init__(self, url: str, *, autocommit: bool = False) -> None:
        super().__init__()
        self.run(self._open(url, autocommit=autocommit))

    async def _open(self, url: str, *, autocommit: bool) -> None:
        self._engine = create_async_engine(url, poolclass=NullPool)
        self.connection = await self._engine.connect()
        if autocommit:
            await self.connection.execution_options(isolation_level="AUTOCOMMIT")

    async def aexecute(self, statement: str) -> None:
        await self.connection.execute(text(statement))

    async def aclose(self) -> None:
        await super().aclose()
        await self._engine.dispose()


class SqlalchemyAsyncSession(AsyncCaller):
    def __init__(self, url: str, *, autocommit: bool = False) -> None:
        super().__init__()
        options = {"isolation_level": "AUTOCOMMIT"} if autocommit else {}
        self._engine = create_async_engine(url, poolclass=NullPool, **options)
        self.connection = AsyncSession(self._engine)

    async def aexecute(self, statement: str) -> None:
        await self.connection.execute(text(statement))

    async def aclose(self) -> None:
        await super().aclose()
        await self._engine.dispose()
