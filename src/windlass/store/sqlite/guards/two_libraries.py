"""Rejects two SQLite libraries on one file in one process.

Two libraries do not know of each other's POSIX locks: closing a connection of one deletes the log of the other.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote

from windlass.errors import ConfigError

_ours: dict[str, set[int]] = {}
"""By path: the ids of the stores that have it open."""
_hook_is_set = False
_lock = Lock()


def claim_file(path: str, *, by: int) -> None:
    """Say that a store has this file open through apsw; from now on ``sqlite3.connect`` to it is refused."""
    global _hook_is_set  # noqa: PLW0603  # audit hooks are per process and cannot be taken back
    # One at a time: a store that opens beside another must not take the other's connection for a stranger's.
    with _lock:
        if not _is_ours(path) and _is_open_here(path):
            raise ConfigError(_message(path))
        _ours.setdefault(path, set()).add(by)
        if not _hook_is_set:
            sys.addaudithook(_audit)
            _hook_is_set = True


def yield_file(path: str, *, by: int) -> None:
    """Say that one of the stores on this file is closed; does nothing when it claimed none."""
    with _lock:
        stores = _ours.get(path, set())
        stores.discard(by)
        if not stores:
            _ours.pop(path, None)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event == "sqlite3.connect" and _ours and isinstance(args[0], str | bytes | os.PathLike):
        path = os.fsdecode(args[0])
        if path.startswith("file:"):
            path = unquote(path.removeprefix("file:").split("?")[0])
        if _is_ours(path):
            raise ConfigError(_message(path))


def _is_ours(path: str) -> bool:
    return any(path == ours or _is_same(path, ours) for ours in tuple(_ours))


def _is_same(path: str, ours: str) -> bool:
    try:
        return os.path.samefile(path, ours)
    except (OSError, ValueError):  # ValueError: no path at all
        return False


def _is_open_here(path: str) -> bool:
    """Whether this process has the file open already; only Linux knows, and only where we may read it."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir() or not os.path.exists(path):
        return False
    return any(_is_same(str(descriptor), path) for descriptor in descriptors.iterdir())


def _message(path: str) -> str:
    return (
        f"{path}: this process has the file open through Python's sqlite3 module as well as through Windlass's own "
        "SQLite library, which would damage it; if the file is your application's database, add ?driver=stdlib "
        "to the store URL"
    )
