"""One SQLite file, with durability full and normal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from benchmarks.place import Place
from benchmarks.server import Server

_FILE = "/jobs.db?"


class SqliteStore:
    """A fresh file per round."""

    name = "sqlite"
    title = "SQLite"
    variants = ("full", "normal")

    @contextmanager
    def serve(self, folder: Path) -> Iterator[Server]:
        yield Server()

    @contextmanager
    def fresh(self, server: Server, variant: str, folder: Path) -> Iterator[Place]:
        yield Place(f"sqlite:///{quote(str(folder.absolute()))}{_FILE}durability={variant}")

    def beside(self, place: Place, name: str) -> Place:
        return Place(place.url.replace(_FILE, f"/{name}.db?"))

    def facts(self, server: Server) -> Mapping[str, str]:
        import apsw  # only where a Windlass is installed; peers have an environment of their own

        return {"SQLite (apsw)": apsw.sqlite_lib_version()}

    def warnings(self, server: Server) -> list[str]:
        return []

    def guarantee(self, variant: str) -> str:
        disk = {
            "full": "synchronous=FULL: what was acknowledged is on disk",
            "normal": "synchronous=NORMAL: a power cut may take the last commits, a crash of the process none",
        }[variant]
        return f"{disk}; fenced leases; jobs of a killed worker run again; every state, time and result is kept"
