"""A disk that fails, or loses its power, under one SQLite file of processes that a test starts."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntFlag
from pathlib import Path

SOURCE = Path(__file__).with_name("diskshim.c")
_KILL = 0
_ORDERS = struct.Struct("=5i")


class Calls(IntFlag):
    """What a process asks of the disk; the numbers are those of ``diskshim.c``."""

    WRITE = 1
    SYNC = 2
    TRUNCATE = 4


class Files(IntFlag):
    """Of which file."""

    MAIN = 1
    LOG = 2
    INDEX = 4
    LOG_HEAD = 8
    """The log, where it is begun anew."""


class Disk:
    """Under the file at ``path``, for processes that are started inside ``under``."""

    def __init__(self, path: Path, *, library: Path, folder: Path) -> None:
        self._path = path
        self._library = library
        self._folder = folder
        self._orders = folder / "orders"
        self._shadow = folder / "shadow"
        self._shadow.mkdir(parents=True)
        self._order()

    def fail(self, call: Calls, file: Files, error: int) -> None:
        """Let such calls fail with this errno, until ``heal``."""
        self._order(call, file, error=error)

    def kill_at(self, call: Calls, file: Files, spared: int) -> None:
        """Kill the process in the middle of such a call, after so many that go well."""
        self._order(call, file, spared=spared, error=_KILL)

    def heal(self) -> None:
        self._order()

    @property
    def met(self) -> int:
        """How many calls went wrong since the last order."""
        met: int = _ORDERS.unpack(self._orders.read_bytes())[-1]
        return met

    def environment(self, *, shadow: str = "") -> dict[str, str]:
        """For processes that have this disk; without a shadow it can fail, but not lose its power."""
        return {
            "LD_PRELOAD": str(self._library),
            "DISKSHIM_FILE": str(self._path),
            "DISKSHIM_ORDERS": str(self._orders),
            "DISKSHIM_SHADOW": shadow,
        }

    @contextmanager
    def under(self) -> Iterator[None]:
        """Processes that are started in the block have this disk, which has all that there is so far."""
        if self._path.exists():
            shutil.copy(self._path, self._shadow / "main")
        environment = self.environment(shadow=str(self._shadow))
        os.environ.update(environment)
        try:
            yield
        finally:
            for name in environment:
                del os.environ[name]

    def after_power_loss(self) -> Iterator[Path]:
        """Copies of the file as a machine may find it that comes up again.

        What was synchronised is there; what was only written may be there or not, for the file and for its log.
        """
        log = self._path.with_name(f"{self._path.name}-wal")
        for number, (main, its_log) in enumerate(
            (main, its_log) for main in (self._shadow / "main", self._path) for its_log in (self._shadow / "log", log)
        ):
            copy = self._folder / f"copy{number}.db"
            shutil.copy(main, copy)
            if its_log.exists():
                shutil.copy(its_log, f"{copy}-wal")
            yield copy

    def _order(self, call: int = 0, file: int = 0, *, spared: int = 0, error: int = 0) -> None:
        written = _ORDERS.pack(call, file, spared, error, 0)
        with self._orders.open("r+b" if self._orders.exists() else "xb") as orders:
            orders.write(written)
