"""One database file: apps on it, and a way behind everybody's back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from windlass import Windlass


class File:
    """Makes apps on one file and closes them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: list[Windlass] = []

    def __enter__(self) -> File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for app in self._made:
            app.close(wait=False)

    def url(self, query: str = "") -> str:
        return f"sqlite:///{self.path}{query}"

    def app(self, query: str = "", **options: Any) -> Windlass:
        """An app as another process would have it."""
        app = Windlass(self.url(query), **options)
        self._made.append(app)
        return app

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other writer waiting, as a transaction does that somebody left open."""
        connection = apsw.Connection(str(self.path))
        try:
            connection.set_busy_timeout(5_000)
            connection.execute("BEGIN IMMEDIATE")
            yield
        finally:
            connection.close()

    def execute(self, statement: str, params: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a statement that no operation would run."""
        connection = apsw.Connection(str(self.path))
        try:
            connection.set_busy_timeout(5_000)
            return list(connection.execute(statement, params))
        finally:
            connection.close()
