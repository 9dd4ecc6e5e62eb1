"""sqlite3 of the standard library."""

from __future__ import annotations

from sqlite3 import Connection, Cursor

from windlass.store.caller.channel import Channel, Values
from windlass.store.caller.script import Reply, reply


class Sqlite3Channel(Channel):
    """``sqlite3.Connection``."""

    database = "sqlite"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def query(self, text: str, values: Values) -> Reply:
        cursor = self._connection.cursor(Cursor)
        cursor.row_factory = None  # the caller's may make anything of a row
        rows = cursor.execute(text, values).fetchall()
        return reply([column[0] for column in cursor.description or ()], rows)

    def raw(self) -> Connection:
        return self._connection
