"""Applications that use Python's own SQLite module directly."""

from __future__ import annotations

import sqlite3

from tests.transactions.callers.caller import Caller


class Sqlite3(Caller):
    def __init__(self, path: str, *, autocommit: bool = False) -> None:
        self.connection = (
            sqlite3.connect(path, timeout=0, isolation_level=None) if autocommit else sqlite3.connect(path, timeout=0)
        )

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)
