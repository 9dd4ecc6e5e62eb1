"""Recognises the caller's connection by its class; imports no library for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windlass.errors import ConfigError
from windlass.store.caller.channel import AsyncChannel, Channel

_ACCEPTED = (
    "a psycopg, psycopg2, asyncpg or sqlite3 connection, an SQLAlchemy Connection, Session, AsyncConnection or "
    "AsyncSession, or Django's connection"
)


def channel_of(connection: object) -> Channel | AsyncChannel:
    """The channel of a connection; raises ``ConfigError`` for anything else, naming what is accepted."""
    for kind in type(connection).__mro__:
        make = _CHANNELS.get((library_of(kind), kind.__name__))
        if make is not None:
            return make(connection)
    raise ConfigError(f"a transaction takes {_ACCEPTED}; got {connection!r}")


def library_of(kind: type) -> str:
    """The top package of the module that a class is defined in."""
    return kind.__module__.split(".", 1)[0]


# A library is only loaded by the module that is made for it, and only when one of its connections is there.


def _psycopg(connection: Any) -> Channel:
    from windlass.store.caller.libraries.psycopg import PsycopgChannel

    return PsycopgChannel(connection)


def _async_psycopg(connection: Any) -> AsyncChannel:
    from windlass.store.caller.libraries.psycopg import AsyncPsycopgChannel

    return AsyncPsycopgChannel(connection)


def _psycopg2(connection: Any) -> Channel:
    from windlass.store.caller.libraries.psycopg2 import Psycopg2Channel

    return Psycopg2Channel(connection)


def _asyncpg(connection: Any) -> AsyncChannel:
    from windlass.store.caller.libraries.asyncpg import AsyncpgChannel

    return AsyncpgChannel(connection)


def _sqlite3(connection: Any) -> Channel:
    from windlass.store.caller.libraries.sqlite3 import Sqlite3Channel

    return Sqlite3Channel(connection)


def _django(connection: Any) -> Channel:
    from windlass.store.caller.libraries.django import DjangoChannel

    return DjangoChannel(connection)


def _sqlalchemy(connection: Any) -> Channel:
    from windlass.store.caller.libraries.sqlalchemy import SqlalchemyChannel

    return SqlalchemyChannel(connection)


def _async_sqlalchemy(connection: Any) -> AsyncChannel:
    from windlass.store.caller.libraries.sqlalchemy import AsyncSqlalchemyChannel

    return AsyncSqlalchemyChannel(connection)


def _scoped(registry: Callable[[], object]) -> Channel | AsyncChannel:
    """SQLAlchemy's scoped sessions hand out the session of this thread or task when they are called."""
    return channel_of(registry())


_CHANNELS: dict[tuple[str, str], Callable[[Any], Channel | AsyncChannel]] = {
    ("psycopg", "Connection"): _psycopg,
    ("psycopg", "AsyncConnection"): _async_psycopg,
    ("psycopg2", "connection"): _psycopg2,
    ("asyncpg", "Connection"): _asyncpg,
    ("asyncpg", "PoolConnectionProxy"): _asyncpg,
    ("sqlite3", "Connection"): _sqlite3,
    ("django", "BaseDatabaseWrapper"): _django,
    ("django", "ConnectionProxy"): _django,
    ("sqlalchemy", "Connection"): _sqlalchemy,
    ("sqlalchemy", "Session"): _sqlalchemy,
    ("sqlalchemy", "AsyncConnection"): _async_sqlalchemy,
    ("sqlalchemy", "AsyncSession"): _async_sqlalchemy,
    ("sqlalchemy", "scoped_session"): _scoped,
    ("sqlalchemy", "async_scoped_session"): _scoped,
}
"""By the class's library and name; subclasses are recognised by what they inherit from."""
