"""Noticing commits of other processes.

Linux tells of writes to the log through inotify; elsewhere, and with ``?news=poll``, SQLite's own change counter is
asked, often while something happens and less often in quiet times. Both only say "look again".
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from windlass import clock
from windlass.errors import WindlassError
from windlass.store.driver import News
from windlass.store.sqlite.address import Address
from windlass.store.sqlite.library import Busy, Connection

_QUICKEST = 0.005
_SLOWEST = 0.05
_IN_MODIFY = 0x2
_IN_CLOEXEC = 0o2000000
_IN_NONBLOCK = 0o4000


class _Silent:
    """A database in memory has no other processes."""

    def close(self) -> None:
        pass


def listen(address: Address, wake: Callable[[], None], *, connect: Callable[[], Connection]) -> News:
    """Call ``wake`` from a thread whenever another connection may have committed something."""
    if address.is_memory:
        return _Silent()
    if address.news == "auto" and sys.platform == "linux":
        try:
            return WatchedNews(address.path, wake)
        except OSError:
            pass  # no inotify instances left, or a kernel without: polling always works
    return PolledNews(wake, connect=connect)


class WatchedNews:
    """Tells of writes to the log file by inotify."""

    def __init__(self, path: str, wake: Callable[[], None]) -> None:
        self._log_name = os.fsencode(Path(path).name + "-wal")
        self._wake = wake
        self._inotify = _watch_folder(Path(path).parent)
        self._stop_reading, self._stop_writing = os.pipe()
        self._thread = Thread(target=self._run, name="windlass-news", daemon=True)
        self._thread.start()

    def close(self) -> None:
        os.write(self._stop_writing, b"x")
        self._thread.join()
        for descriptor in (self._inotify, self._stop_reading, self._stop_writing):
            os.close(descriptor)

    def _run(self) -> None:
        while True:
            readable, _, _ = select.select([self._inotify, self._stop_reading], [], [])
            if self._stop_reading in readable:
                return
            if self._log_name in os.read(self._inotify, 65_536):
                # The write comes before the commit is visible: wake at once, and once more a moment later.
                self._wake()
                clock.sleep(0.001)
                self._wake()


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
    """Asks for the change counter: every 5 ms while things change, every 50 ms in quiet times."""

    def __init__(self, wake: Callable[[], None], *, connect: Callable[[], Connection]) -> None:
        self._wake = wake
        self._connect = connect
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="windlass-news", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        connection, last, pause = self._connect(), None, _QUICKEST
        try:
            while not clock.wait(self._stopped, pause):
                version = _version(connection)
                pause = _QUICKEST if version != last else min(pause * 1.2, _SLOWEST)
                if version != last:
                    last = version
                    self._wake()
        finally:
            connection.close()


def _version(connection: Connection) -> int | None:
    try:
        return int(connection.run("PRAGMA data_version")[0][0])
    except (Busy, WindlassError):
        return None  # the file is in trouble; whoever works with it will say so
