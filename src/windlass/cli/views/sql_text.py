"""SQL that a person may run."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.cli.terminal.screen import Screen


@dataclass(frozen=True, slots=True)
class SqlText:
    """The SQL that would bring a store up to date; empty where nothing is missing."""

    store: str
    sql: str

    def data(self) -> object:
        return {"store": self.store, "sql": self.sql}

    def draw(self, screen: Screen) -> None:
        # A comment, so that the output is SQL in any case.
        screen.line(f"-- {self.store}: {'what is missing' if self.sql else 'is up to date'}")
        if self.sql:
            screen.block(self.sql)
