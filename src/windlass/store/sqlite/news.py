"""Noticing commits of other processes.

Linux tells of writes to the log through inotify; elsewhere, and with ``?news=poll``, SQLite's own change counter is
asked, often while something happens and less often in quiet times. Both only say "look again".
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from select import POLLIN, poll
from threading import Event

from windlass import clock
from windlass.store.driver import News
from windlass.store.sqlite.address import Address
from windlass.thread_start import start_thread

_QUICKEST = 0.005
_SLOWEST = 0.05
_FIRST_LOOK = 0.0002
_LAST_LOOK = 0.256
_IN_MODIFY = 0x2
_IN_CLOEXEC = 0o2000000
_IN_NONBLOCK = 0o4000


class _Silent:
    """A database in memory has no other processes."""

    def close(self) -> None:
        pass


def listen(address: Address, wake: Callable[[], None], *, has_news: Callable[[], bool]) -> News:
    """Call ``wake`` from a thread whenever ``has_news`` says that another connection has committed something."""
    if address.is_memory:
        return _Silent()
    if address.news == "auto" and sys.platform == "linux":
        try:
            return WatchedNews(address.path, wake, has_news=has_news)
        except OSError:
            pass  # no inotify instances left, or a kernel without: polling always works
    return PolledNews(wake, has_news=has_news)


class WatchedNews:
    """Looks for news when inotify tells of a write to the log file, which may well be one of our own."""

    def __init__(self, path: str, wake: Callable[[], None], *, has_news: Callable[[], bool]) -> None:
        self._log_name = os.fsencode(Path(path).name + "-wal")
        self._wake = wake
        self._has_news = has_news
        self._inotify = _watch_folder(Path(path).parent)
        self._stop_reading, self._stop_writing = os.pipe()
        self._thread = start_thread(self._run, name="windlass-news")

    def close(self) -> None:
        os.write(self._stop_writing, b"x")
        self._thread.join()
        for descriptor in (self._inotify, self._stop_reading, self._stop_writing):
            os.close(descriptor)

    def _run(self) -> None:
        pause: float | None = None
        told = poll()  # unlike select, it takes the descriptors of programs that have very many
        for source in (self._inotify, self._stop_reading):
            told.register(source, POLLIN)
        while True:
            readable = [source for source, _ in told.poll(None if pause is None else pause * 1000)]
            if self._stop_reading in readable:
                return
            if not readable:
                pause = _later(pause)
            elif self._log_name in os.read(self._inotify, 65_536):
                pause = _FIRST_LOOK
            else:
                continue
            if self._has_news():
                self._wake()
            clock.sleep(_FIRST_LOOK)  # a commit writes many times; one look is enough for all of them


def _later(pause: float | None) -> float | None:
    """When to look again: the log is written before the disk has it, and only then the commit can be seen."""
    return None if pause is None or pause >= _LAST_LOOK else pause * 2


def _watch_folder(folder: Path) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor: int = libc.inotify_init1(_IN_CLOEXEC | _IN_NONBLOCK)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    if libc.inotify_add_watch(descriptor, os.fsencode(folder), _IN_MODIFY) < 0:
        os.close(descriptor)
        raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))
    return descriptor


class PolledNews:
    """Looks for news every 5 ms while there are any, every 50 ms in quiet times."""

    def __init__(self, wake: Callable[[], None], *, has_news: Callable[[], bool]) -> None:
        self._wake = wake
        self._has_news = has_news
        self._stopped = Event()
        self._thread = start_thread(self._run, name="windlass-news")

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _QUICKEST
        while not clock.wait(self._stopped, pause):
            if self._has_news():
                pause = _QUICKEST
                self._wake()
            else:
                pause = min(pause * 1.2, _SLOWEST)
