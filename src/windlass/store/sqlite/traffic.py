"""Who is inside SQLite right now.

SQLite remembers in memory which locks its process holds. A child that was forked in the middle of that believes that it
holds locks which it does not hold, or waits for ever for a mutex whose owner it did not inherit. So a fork waits until
nobody is inside, and while it lasts nobody gets in.
"""

from __future__ import annotations

from threading import Condition, Lock


class Traffic:
    """Enter it as a context manager for as long as a connection is used; do not enter it twice on one thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._inside = 0
        self._halts = 0

    def __enter__(self) -> None:
        with self._lock:
            while self._halts:
                self._changed.wait()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._halts:
                self._changed.notify_all()

    def halt(self) -> None:
        """Let nobody in any more; returns when the last has left."""
        with self._lock:
            self._halts += 1
            while self._inside:
                self._changed.wait()

    def resume(self) -> None:
        """Take one ``halt`` back."""
        with self._lock:
            self._halts = max(0, self._halts - 1)
            self._changed.notify_all()
