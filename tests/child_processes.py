"""The children of a process, as Linux tells them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """The processes that it started and that are still there, those that wait to be reaped included."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended; its children are another's now
            found += map(int, thread.read_text().split())
    return sorted(found)
