"""The schema of one store: making it, checking it, bringing it up to date."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from psycopg import Connection
from psycopg.errors import InvalidSchemaName, UndefinedTable

from windlass.errors import ConfigError

_MIGRATIONS = "windlass.store.postgres.migrations"

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_EXISTS = "SELECT to_regnamespace(%s) IS NOT NULL"
_TABLE = 'CREATE TABLE "{schema}".schema (version integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)'
_NOTE = """
    INSERT INTO "{schema}".schema VALUES (%s, %s, floor(extract(epoch FROM statement_timestamp()) * 1000))
"""


def migrations(schema: str) -> list[tuple[int, str, bytes]]:
    """Number, name and statements of every step, in order."""
    steps = []
    for file in files(_MIGRATIONS).iterdir():
        if file.name.endswith(".sql"):
            text = file.read_text(encoding="utf-8").replace("windlass_", f'"{schema}".')
            steps.append((int(file.name.split("-")[0]), file.name, text.encode()))
    return sorted(steps)


def newest(schema: str) -> int:
    """The version that this release makes."""
    return migrations(schema)[-1][0]


def version_of(connection: Connection[Any], schema: str) -> int:
    """The number of the last step that this store has seen; 0 for a new one."""
    try:
        with connection.transaction():  # inside another transaction a failed look must not spoil that one
            row = connection.execute(f'SELECT max(version) FROM "{schema}".schema'.encode()).fetchone()  # noqa: S608
    except (UndefinedTable, InvalidSchemaName):
        return 0
    return int(row[0] or 0) if row else 0


def check_version(connection: Connection[Any], schema: str, name: str) -> int:
    """The store's version; refuses one that a newer release has changed."""
    found, known = version_of(connection, schema), newest(schema)
    if found > known:
        raise ConfigError(
            f"{name}: schema {schema!r} is version {found}, this Windlass knows {known}; upgrade windlass to use it"
        )
    return found


def migrate(connection: Connection[Any], schema: str) -> list[str]:
    """Take the steps that are missing, all or none; of several processes one does it and the others wait."""
    taken = []
    with connection.transaction():
        connection.execute(_LOCK, [f"windlass {schema}"])
        current = version_of(connection, schema)
        for number, name, text in migrations(schema):
            if number <= current:
                continue
            if number == 1:
                _make(connection, schema)
            connection.execute(text)
            connection.execute(_NOTE.format(schema=schema).encode(), [number, name])
            taken.append(name)
    return taken


def _make(connection: Connection[Any], schema: str) -> None:
    row = connection.execute(_EXISTS, [f'"{schema}"']).fetchone()
    if not (row and row[0]):  # asked first: IF NOT EXISTS needs the right to create even where nothing is created
        connection.execute(f'CREATE SCHEMA "{schema}"'.encode())
    connection.execute(_TABLE.format(schema=schema).encode())
