"""psycopg2."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from windlass.store.caller.channel import Channel, Values
from windlass.store.caller.placeholders import by_name, pyformat
from windlass.store.caller.script import Reply, reply


class _Connection(Protocol):
    def cursor(self, *, cursor_factory: Any) -> Any: ...


class Psycopg2Channel(Channel):
    """``psycopg2.extensions.connection``."""

    database = "postgresql"

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    def query(self, text: str, values: Values) -> Reply:
        # The plain cursor: the caller's connection may make others, which give rows as dictionaries.
        with self._connection.cursor(cursor_factory=sys.modules["psycopg2.extensions"].cursor) as cursor:
            if values:
                assert not isinstance(values, dict)
                cursor.execute(pyformat(text), by_name(list(values)))
            else:
                cursor.execute(text)
            if cursor.description is None:
                return reply()
            return reply([column[0] for column in cursor.description], cursor.fetchall())
