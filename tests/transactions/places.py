"""Where a test's jobs and its application's rows lie together, and a second such place."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.transactions.callers.caller import Caller
from tests.transactions.callers.on_django import Django
from tests.transactions.callers.on_postgres import Asyncpg, AsyncPsycopg, Psycopg, Psycopg2
from tests.transactions.callers.on_sqlalchemy import (
    SqlalchemyAsyncConnection,
    SqlalchemyAsyncSession,
    SqlalchemyConnection,
    SqlalchemySession,
)
from tests.transactions.callers.on_sqlite import Sqlite3
from tests.waiting import PATIENCE


@dataclass(frozen=True)
class Shop:
    """One database with jobs and orders."""

    url: str
    """The store's."""
    database: str
    """A DSN, or a file."""
    namespace: str

    @property
    def is_sqlite(self) -> bool:
        return self.url.startswith("sqlite:")

    @property
    def orders(self) -> str:
        return "orders" if self.is_sqlite else f'"{self.namespace}".orders'

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Run one statement on a connection of its own."""
        if self.is_sqlite:
            with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self.database, autocommit=True) as server:
            cursor = server.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def order_count(self) -> int:
        return int(self.execute(f"SELECT count(*) FROM {self.orders}")[0][0])


def sqlite_shop(folder: Path, namespace: str) -> Shop:
    return Shop(f"sqlite:///{folder / 'shop.db'}?driver=stdlib&durability=normal", str(folder / "shop.db"), namespace)


def postgres_shop(dsn: str, namespace: str) -> Shop:
    return Shop(dsn, dsn, namespace)


def _through(driver: str) -> Callable[[Shop], str]:
    """The shop's database as SQLAlchemy names it."""

    def url(shop: Shop) -> str:
        if shop.is_sqlite:
            return f"sqlite+{driver}:///{shop.database}"
        return shop.database.replace("postgresql:", f"postgresql+{driver}:", 1)

    return url


def _database(shop: Shop) -> str:
    return shop.database


def _django(shop: Shop) -> dict[str, Any]:
    if shop.is_sqlite:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": shop.database, "OPTIONS": {"timeout": PATIENCE}}
    parts = urlsplit(shop.database)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.removeprefix("/"),
        "USER": parts.username,
        "PASSWORD": parts.password or "",
        "HOST": parts.hostname,
        "PORT": parts.port,
    }


@dataclass(frozen=True)
class Kind:
    """One kind of connection, and how it is told where the database is."""

    make: Callable[..., Caller]
    address: Callable[[Shop], Any]

    def open(self, shop: Shop, *, autocommit: bool = False) -> Caller:
        return self.make(self.address(shop), autocommit=autocommit)


POSTGRES: dict[str, Kind] = {
    "psycopg": Kind(Psycopg, _database),
    "psycopg-async": Kind(AsyncPsycopg, _database),
    "psycopg2": Kind(Psycopg2, _database),
    "asyncpg": Kind(Asyncpg, _database),
    "sqlalchemy-connection-psycopg": Kind(SqlalchemyConnection, _through("psycopg")),
    "sqlalchemy-session-psycopg2": Kind(SqlalchemySession, _through("psycopg2")),
    "sqlalchemy-async-connection-asyncpg": Kind(SqlalchemyAsyncConnection, _through("asyncpg")),
    "sqlalchemy-async-session-asyncpg": Kind(SqlalchemyAsyncSession, _through("asyncpg")),
    "sqlalchemy-async-session-psycopg": Kind(SqlalchemyAsyncSession, _through("psycopg")),
    "django-postgres": Kind(Django, _django),
}
SQLITE: dict[str, Kind] = {
    "sqlite3": Kind(Sqlite3, _database),
    "sqlalchemy-connection-pysqlite": Kind(SqlalchemyConnection, _through("pysqlite")),
    "sqlalchemy-session-pysqlite": Kind(SqlalchemySession, _through("pysqlite")),
    "sqlalchemy-async-session-aiosqlite": Kind(SqlalchemyAsyncSession, _through("aiosqlite")),
    "django-sqlite": Kind(Django, _django),
}
KINDS = POSTGRES | SQLITE
