"""Watches the write-ahead log by inotify (Linux)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from errno import ENOENT
from struct import Struct

_IN_MODIFY = 0x2
_IN_MOVED_TO = 0x80
_IN_CREATE = 0x100
_IN_Q_OVERFLOW = 0x4000
_IN_CLOEXEC = 0o2000000
_IN_NONBLOCK = 0o4000
_EVENT = Struct("iIII")
"""The watch, what happened, a cookie, and the length of the name that follows."""
_READ_AT_ONCE = 65_536


class LogWatch:
    """The log is deleted and made anew, and may be replaced: its folder is watched for that, and for nothing else.

    Other files in the folder wake no worker.
    """

    def __init__(self, path: str) -> None:
        # Beside the file itself: SQLite follows links.
        self._log = os.path.realpath(path) + "-wal"
        self._name = os.fsencode(os.path.basename(self._log))
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._watched: int | None = None
        self.descriptor: int = self._libc.inotify_init1(_IN_CLOEXEC | _IN_NONBLOCK)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        try:
            self._folder = self._watch(os.path.dirname(self._log), _IN_CREATE | _IN_MOVED_TO)
            self.resume()
        except OSError:
            os.close(self.descriptor)
            raise

    def close(self) -> None:
        os.close(self.descriptor)

    def suspend(self) -> None:
        """Watch the log no more until ``resume``: each watch costs those who write to it."""
        if self._watched is not None:
            self._libc.inotify_rm_watch(self.descriptor, self._watched)
            self._watched = None

    def resume(self) -> None:
        """Watch the log; what was written before is not reported."""
        try:
            self._watched = self._watch(self._log, _IN_MODIFY)
        except OSError as error:
            if error.errno != ENOENT:  # it is not there yet, or not any more: its folder will show it
                raise

    def read(self) -> bool:
        """Whether what has happened may be a commit; to be called when there is something to read."""
        is_written = False
        for watch, mask, name in _events(os.read(self.descriptor, _READ_AT_ONCE)):
            if mask & _IN_Q_OVERFLOW or (watch == self._folder and name == self._name):
                self.resume()  # it may have been written before it was watched
                is_written = True
            is_written = is_written or bool(mask & _IN_MODIFY)
        return is_written

    def _watch(self, path: str, mask: int) -> int:
        watch: int = self._libc.inotify_add_watch(self.descriptor, os.fsencode(path), mask)
        if watch < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", path)
        return watch


def _events(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at < len(data):
        watch, mask, _, length = _EVENT.unpack_from(data, at)
        at += _EVENT.size
        yield watch, mask, data[at : at + length].rstrip(b"\0")
        at += length
