"""asyncpg."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from windlass.store.caller.channel import AsyncChannel
from windlass.store.caller.placeholders import with_text_cast
from windlass.store.caller.script import Look, Query, Reply, reply


class _Connection(Protocol):
    async def execute(self, query: str) -> Any: ...

    async def fetch(self, query: str, *values: Any) -> Sequence[Any]: ...


class AsyncpgChannel(AsyncChannel):
    """``asyncpg.Connection``, of one's own or lent by a pool."""

    database = "postgresql"

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def take_theirs(self, step: Query | Look) -> Reply:
        assert isinstance(step, Query), "PostgreSQL itself answers all that a script asks"
        if not step.values:
            await self._connection.execute(step.text)
            return reply()
        values = list(step.values)
        rows = await self._connection.fetch(with_text_cast(step.text, values), *values)
        return reply(list(rows[0].keys()) if rows else [], [tuple(row.values()) for row in rows])
