"""The beginning and the end of a long text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from windlass.core.codec.stored_text.storable import storable

LIMIT = 16 * 1024
_MOST = 200
_MARK = 64
"""Bytes that are reserved for the line that says what was left out."""


class Excerpt:
    """Entries, each of one or more lines: keeps the first and the newest, and how much was between them.

    At most 200 entries and ``limit`` bytes, a quarter of both for the first; one entry has at most a quarter too.

    >>> excerpt = Excerpt(limit=128)
    >>> for number in range(1, 1001):
    ...     excerpt.add(f"entry {number}")
    >>> print(excerpt.text())
    entry 1
    entry 2
    [... 994 entries left out, 9,836 bytes]
    entry 997
    entry 998
    entry 999
    entry 1000
    """

    __slots__ = ("_bytes_left_out", "_first", "_first_room", "_left_out", "_limit", "_newest", "_newest_room")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._first: list[str] = []
        self._newest: deque[tuple[str, int]] = deque()
        self._first_room = (limit - _MARK) // 4
        self._newest_room = limit - _MARK - self._first_room
        self._left_out = 0
        self._bytes_left_out = 0

    def __bool__(self) -> bool:
        return bool(self._first or self._newest or self._left_out)

    def add(self, entry: str) -> None:
        text = storable(entry, self._limit // 4)
        size = len(text.encode()) + 1
        if size <= self._first_room and len(self._first) < _MOST // 4:
            self._first.append(text)
            self._first_room -= size
            return
        self._close_first()
        self._newest.append((text, size))
        self._newest_room -= size
        while self._newest_room < 0 or len(self._newest) > _MOST - _MOST // 4:
            self._leave_out_oldest()

    def text(self, limit: int | None = None) -> str:
        """All that is kept, in at most ``limit`` bytes."""
        if limit is not None and limit < self._limit:
            return self._shortened(limit).text()
        left_out = f"[... {self._left_out:,} entries left out, {self._bytes_left_out:,} bytes]"
        return "\n".join([*self._first, *([left_out] if self._left_out else []), *(text for text, _ in self._newest)])

    def _shortened(self, limit: int) -> Excerpt:
        shorter = Excerpt(limit)
        shorter._add_all(self._first)
        if self._left_out:
            shorter._close_first()
            shorter._left_out += self._left_out
            shorter._bytes_left_out += self._bytes_left_out
        shorter._add_all(text for text, _ in self._newest)
        return shorter

    def _add_all(self, entries: Iterable[str]) -> None:
        for entry in entries:
            self.add(entry)

    def _close_first(self) -> None:
        """Add no more to the first entries: one entry did not fit."""
        self._first_room = -1

    def _leave_out_oldest(self) -> None:
        _, size = self._newest.popleft()
        self._newest_room += size
        self._left_out += 1
        self._bytes_left_out += size
