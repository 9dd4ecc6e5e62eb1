"""The output of a program, bounded."""

from __future__ import annotations

from windlass.core.codec import storable


class HeadAndTail:
    """Keeps the first and the last bytes of a stream, ``limit`` in all, and counts what it drops between them.

    >>> said = HeadAndTail(8)
    >>> said.add(b"0123456789")
    >>> said.cut
    2
    >>> said.text()
    '0123\\n[2 bytes cut]\\n6789'
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._most = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._count = 0

    def add(self, chunk: bytes) -> None:
        self._count += len(chunk)
        room = self._limit - self._most - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._most:
            self._drop()

    @property
    def cut(self) -> int:
        """How many bytes are not kept."""
        return max(0, self._count - self._limit)

    def text(self) -> str:
        """The text, read as UTF-8, with a mark where bytes were cut; invalid bytes become U+FFFD."""
        self._drop()
        head, tail = self._head.decode(errors="replace"), self._tail.decode(errors="replace")
        if not self.cut:
            return storable((self._head + self._tail).decode(errors="replace"))
        return storable(f"{head}\n[{self.cut:,} bytes cut]\n{tail}")

    def _drop(self) -> None:
        if len(self._tail) > self._most:
            del self._tail[: len(self._tail) - self._most]
