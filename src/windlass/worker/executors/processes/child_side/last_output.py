"""A ring buffer in shared memory: the newest output survives a crash of the child."""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

_SIZE = 4096


class LastOutput:
    """The newest 4 KiB, in memory that worker and child share. The child writes, the worker reads after its death."""

    def __init__(self, context: SpawnContext) -> None:
        self._ring: Any = context.RawArray("c", _SIZE)
        self._written: Any = context.RawValue("q", 0)
        """How many bytes were written in all; modulo the size it is the place of the next one."""

    def clear(self) -> None:
        self._written.value = 0

    def add(self, text: str) -> None:
        words = text.encode(errors="replace")[-_SIZE:]
        place = self._written.value % _SIZE
        until_the_edge = _SIZE - place
        self._ring[place : place + len(words)] = words[:until_the_edge]
        self._ring[: max(0, len(words) - until_the_edge)] = words[until_the_edge:]
        self._written.value += len(words)

    def text(self) -> str:
        """What the buffer holds, from the first whole line on."""
        written: int = self._written.value
        ring: bytes = self._ring.raw
        if written <= _SIZE:
            return ring[:written].decode(errors="replace")
        place = written % _SIZE
        newest = (ring[place:] + ring[:place]).decode(errors="replace")
        return newest.partition("\n")[2] or newest
