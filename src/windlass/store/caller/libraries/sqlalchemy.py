"""SQLAlchemy: connections and sessions, sync and async."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from windlass.errors import ConfigError
from windlass.store.caller.channel import AsyncChannel, Channel, Values
from windlass.store.caller.errors import is_of_library
from windlass.store.caller.placeholders import by_name, pyformat, with_text_cast
from windlass.store.caller.script import Look, Query, Reply, reply

_DRIVERS = ("psycopg", "psycopg_async", "psycopg2", "asyncpg", "pysqlite", "aiosqlite")


class _Dialect(Protocol):
    name: str
    driver: str


class _AsyncOwner(Protocol):
    async def run_sync(self, work: Callable[[Any], Any]) -> Any: ...


class SqlalchemyChannel(Channel):
    """A ``Connection``, or the one that a ``Session`` works on.

    Statements go through SQLAlchemy, which begins the transaction where the caller has not used it yet.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        dialect = _dialect(owner)
        self.database = dialect.name
        self._driver = dialect.driver

    def query(self, text: str, values: Values) -> Reply:
        result = self._connection().exec_driver_sql(*self._written(text, values))
        return reply(list(result.keys()), result.fetchall()) if result.returns_rows else reply()

    def raw(self) -> object:
        return self._connection().connection.driver_connection

    def _connection(self) -> Any:
        return self._owner.connection() if hasattr(self._owner, "get_bind") else self._owner

    def _written(self, text: str, values: Values) -> tuple[Any, ...]:
        if not values:
            return (text,)
        if isinstance(values, dict):
            return text, values
        if self._driver == "asyncpg":
            return with_text_cast(text, list(values)), tuple(values)
        return pyformat(text), by_name(list(values))


class AsyncSqlalchemyChannel(AsyncChannel):
    """An ``AsyncConnection`` or ``AsyncSession``: the sync one inside it, run as SQLAlchemy runs it."""

    def __init__(self, owner: _AsyncOwner) -> None:
        self._owner = owner
        self.database = _dialect(owner).name

    async def take_theirs(self, step: Query | Look) -> Any:
        return await self._owner.run_sync(lambda inner: SqlalchemyChannel(inner).take(step))


def _dialect(owner: Any) -> _Dialect:
    """What the owner is connected to, found out without connecting."""
    try:
        engine = owner.get_bind() if hasattr(owner, "get_bind") else getattr(owner, "sync_engine", owner)
    except Exception as error:  # SQLAlchemy's own classes are not imported here
        if not is_of_library(error):
            raise
        raise ConfigError(
            f"{owner!r}: the session does not say which database to use ({error}); pass the connection itself, "
            "as in session.connection(bind_arguments={...})"
        ) from error
    dialect: _Dialect = engine.dialect
    if dialect.driver not in _DRIVERS:
        raise ConfigError(
            f"{owner!r}: connections of the driver {dialect.driver!r} cannot be used; use one of {', '.join(_DRIVERS)}"
        )
    return dialect
