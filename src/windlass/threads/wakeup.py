"""Wakes a thread from anywhere, also from a signal handler."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue


class Wakeup:
    """An event that one thread waits for.

    ``threading.Event`` has a lock that stays taken when an exception from outside (Ctrl-C, a signal handler that
    raises, one set by another thread) strikes a thread just as it has taken it; from then on all threads that set the
    event or wait for it are blocked. A ``SimpleQueue`` may be used anywhere, also in signal handlers.
    """

    def __init__(self) -> None:
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        """Wake the thread that waits, or have its next wait return at once."""
        # The tokens decide, not the flag: a thread that is held up before the last line may set the flag when the other
        # one has cleared it, looked, and begun to wait again; no later call would wake that one if it asked the flag.
        if self._tokens.empty():
            self._tokens.put(None)  # first: a thread that is interrupted here has woken the other one all the same
        self._is_set = True

    def clear(self) -> None:
        """Forget what was set so far; what is set meanwhile is kept."""
        self._is_set = False
        with suppress(Empty):
            while True:
                self._tokens.get_nowait()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it is set or the timeout ends; true if it was set."""
        if self._is_set:
            return True
        try:
            self._tokens.get(timeout=timeout)
        except Empty:
            return self._is_set
        return True
