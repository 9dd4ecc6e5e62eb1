"""Warns when the write-ahead log grows because a reader never ends."""

from __future__ import annotations

import logging
import os

log = logging.getLogger("windlass.store")

LARGE = 256 * 1024 * 1024


class WalSize:
    """Watches the size of a file's log; warns each time that it becomes ``large`` (in bytes)."""

    def __init__(self, path: str, *, large: int) -> None:
        self._path = path
        self._large = large
        self._is_large = False

    def check(self) -> None:
        """Look at it once."""
        size = self._size()
        was_large, self._is_large = self._is_large, size > self._large
        if self._is_large and not was_large:
            log.warning(
                "%s-wal has grown to %.0f MiB: a reader has been in the file all along (a transaction left open, "
                "a slow backup?), and it can be emptied only when that ends",
                self._path,
                size / 1024**2,
            )

    def _size(self) -> int:
        try:
            return os.stat(os.path.realpath(self._path) + "-wal").st_size
        except OSError:  # a database in memory has none
            return 0
