"""Refuses two SQLite libraries on one file in one process.

Two libraries do not know of each other's POSIX locks: closing a connection of one deletes the log of the other.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from windlass.errors import ConfigError

_ours: dict[str, int] = {}
_hook_is_set = False


def claim_file(path: str) -> None:
    """Say that apsw has this file open; from now on ``sqlite3.connect`` to it raises ``ConfigError``."""
    global _hook_is_set  # noqa: PLW0603  # audit hooks are per process and cannot be taken back
    if path not in _ours and _is_open_here(path):
        raise ConfigError(_message(path))
    _ours[path] = _ours.get(path, 0) + 1
    if not _hook_is_set:
        sys.addaudithook(_audit)
        _hook_is_set = True


def yield_file(path: str) -> None:
    """Say that one of the stores on this file is closed."""
    _ours[path] = _ours.get(path, 1) - 1
    if _ours[path] <= 0:
        del _ours[path]


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "sqlite3.connect" and _ours and isinstance(args[0], str | os.PathLike):
        path = str(args[0]).removeprefix("file:").split("?")[0]
        if any(_is_same(path, ours) for ours in _ours):
            raise ConfigError(_message(path))


def _is_same(path: str, ours: str) -> bool:
    try:
        return os.path.samefile(path, ours)
    except OSError:
        return False


def _is_open_here(path: str) -> bool:
    """Whether this process has the file open already; only Linux can tell."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir() or not Path(path).exists():
        return False
    return any(_is_same(str(descriptor), path) for descriptor in descriptors.iterdir())


def _message(path: str) -> str:
    return (
        f"{path}: this process has the file open through Python's sqlite3 module as well as through Windlass's own "
        "SQLite library, which would damage it; if the file is your application's database, add ?driver=stdlib "
        "to the store URL"
    )
