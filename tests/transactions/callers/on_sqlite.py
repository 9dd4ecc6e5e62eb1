"""Applications that use Python's own SQLite module directly."""

from __future__ import annotations

import sqlite3

from tests.transactions.callers.caller import Caller
from tests.waiting import PATIENCE


class Sqlite3(Caller):
    def __init__(self, path: str, *, autocommit: bool = False) -> None:
        # Workers may be writing at any moment: it waits for its turn, as applications do.
        self.connection = (
            sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            if autocommit
            else sqlite3.connect(path, timeout=PATIENCE)
        )

    def execute(self, statement: str) -> None:
        self.connection.execute(statement)
