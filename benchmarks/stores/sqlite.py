"""One SQLite file, with durability full and normal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote


class SqliteStore:
    """A fresh file per round."""

    name = "sqlite"
    variants = ("full", "normal")

    @contextmanager
    def place(self, variant: str, folder: Path) -> Iterator[str]:
        yield f"sqlite:///{quote(str((folder / 'jobs.db').absolute()))}?durability={variant}"

    def facts(self) -> Mapping[str, str]:
        import apsw  # only where a Windlass is installed; peers have an environment of their own

        return {"SQLite (apsw)": apsw.sqlite_lib_version()}

    def guarantee(self, variant: str) -> str:
        disk = {
            "full": "synchronous=FULL: what was acknowledged is on disk",
            "normal": "synchronous=NORMAL: a power cut may take the last commits, a crash of the process none",
        }[variant]
        return f"{disk}; fenced leases; jobs of a killed worker run again; every state, time and result is kept"
