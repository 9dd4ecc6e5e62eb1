"""Stopping a process from outside, as a debugger or a full machine does."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.places.raw_sqlite import RawSqlite
from tests.waiting import eventually


def freeze(pid: int, *, file: Path | None) -> None:
    """Stop a process; one that works on a SQLite file at a moment when it does not hold that locked, for then nobody
    else could go on either.
    """

    def has_stopped_outside() -> bool:
        os.kill(pid, signal.SIGSTOP)
        eventually(lambda: _states(pid) == {"T"})
        if file is None or not RawSqlite(file).is_locked():
            return True
        os.kill(pid, signal.SIGCONT)
        return False

    eventually(has_stopped_outside)


def _states(pid: int) -> set[str]:
    """What the threads of a process do, in the letters of the system; nothing, if one is just ending."""
    files = Path(f"/proc/{pid}/task").glob("*/stat")
    try:
        return {file.read_text().rpartition(")")[2].split()[0] for file in files}
    except (FileNotFoundError, ProcessLookupError):
        return set()
