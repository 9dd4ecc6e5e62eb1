"""A wall clock that a test sets, for processes that it starts: a library which is preloaded into them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tests.faults.c_libraries import build
from tests.servers.account import server_account, server_folder

_SOURCE = Path(__file__).with_name("clockshim.c")

HOUR = 3600


class ShiftedClock:
    """The clock of all processes that are started with its ``environment``."""

    def __init__(self, library: Path, file: Path) -> None:
        self._file = file
        self.environment = {"LD_PRELOAD": str(library), "CLOCKSHIM": str(file)}
        self._write(0, mode="xb")
        file.chmod(0o644)

    def step_to(self, seconds: int) -> None:
        """Let it be so many seconds ahead of the real time, from now on."""
        self._write(seconds, mode="r+b")

    def _write(self, seconds: int, mode: str) -> None:
        with self._file.open(mode) as file:
            file.write(struct.pack("=q", seconds))


class Clocks:
    """Makes clocks, each with a file of its own, in a folder that servers under another account can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library = folder / "clockshim.so"
        build(_SOURCE, self._library)

    def __call__(self) -> ShiftedClock:
        return ShiftedClock(self._library, self._folder / uuid4().hex)


@contextmanager
def shifted_clocks() -> Iterator[Clocks]:
    """Builds the library, and removes everything afterwards."""
    account = server_account()
    with server_folder(account) as folder:
        folder.chmod(0o755)
        yield Clocks(folder)


@contextmanager
def under(clock: ShiftedClock) -> Iterator[None]:
    """Whatever is started in the block goes by the clock."""
    before = {name: os.environ.get(name) for name in clock.environment}
    os.environ.update(clock.environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
