"""Where one test's jobs live: a file, a schema or a key prefix of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import apsw

from windlass.store.driver import Driver
from windlass.store.open import open_driver


class Place(Protocol):
    """One store's data for one test. Opening it twice is what two processes do."""

    @property
    def url(self) -> str: ...

    @property
    def namespace(self) -> str: ...

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        """A new driver, as another process would have."""

    def force(self, id: str, state: str) -> None:
        """Put a job into a state behind the store's back: no operation leads to ``blocked`` yet."""

    def erase(self) -> None:
        """Leave nothing on a server that others use too."""


@dataclass(frozen=True)
class SqlitePlace:
    """A file; ``options`` is the URL's query."""

    path: Path
    options: str = ""
    namespace: str = "windlass"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}{self.options}"

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        return open_driver(self.url, namespace=self.namespace, now=now, deadline=deadline)

    def execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """Run a statement on a connection of its own, with the library that the drivers use."""
        if "driver=stdlib" in self.options:
            plain = sqlite3.connect(self.path, isolation_level=None)
            try:
                return plain.execute(statement, params).fetchall()
            finally:
                plain.close()
        connection = apsw.Connection(str(self.path))
        try:
            return list(connection.execute(statement, params))
        finally:
            connection.close()

    def force(self, id: str, state: str) -> None:
        self.execute("UPDATE windlass_job SET state = ? WHERE id = ?", (state, id))

    def erase(self) -> None:
        pass


@dataclass(frozen=True)
class ServerPlace:
    """A schema or key prefix on a server that all tests share."""

    url: str
    namespace: str

    def open(self, *, now: Callable[[], int] | None, deadline: float = 5.0) -> Driver:
        return open_driver(self.url, namespace=self.namespace, now=now, deadline=deadline)

    def force(self, id: str, state: str) -> None:
        raise NotImplementedError("only full stores have tests of every state")

    def erase(self) -> None:
        pass
