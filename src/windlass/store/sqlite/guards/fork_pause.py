"""Keeps threads out of SQLite while the process forks.

SQLite remembers in memory which locks its process holds. A child that was forked in the middle of that believes that it
holds locks which it does not hold, or waits for ever for a mutex whose owner it did not inherit. So a fork waits until
no thread is inside, and while it lasts no thread gets in.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import TypeVar

from windlass import clock

T = TypeVar("T")

_MOMENT = 0.0005
"""Seconds between two looks of a thread that has to wait. A fork takes a moment and is rare, and a look holds no lock
that an exception from outside could leave taken.
"""


class ForkPause:
    """The threads that use a connection. A thread does not enter twice.

    Each operation on the sets is one step of the interpreter. A thread first enters and then looks whether a fork is
    under way, and a fork first says so and then looks who is inside, so they cannot miss each other.
    """

    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._halting: set[int] = set()

    def through(self, work: Callable[..., T], *args: object) -> T:
        """Do something inside; what it returns."""
        # Left twice: an exception from outside (Ctrl-C, a signal handler that raises) may strike the first leaving.
        try:
            try:
                self._enter()
                return work(*args)
            finally:
                self._inside.discard(get_ident())
        finally:
            self._inside.discard(get_ident())

    def halt(self) -> None:
        """Let no thread in any more; returns when the last has left."""
        self._halting.add(get_ident())
        while self._inside:
            clock.sleep(_MOMENT)

    def resume(self) -> None:
        """Take this thread's ``halt`` back."""
        self._halting.discard(get_ident())

    def _enter(self) -> None:
        me = get_ident()
        self._inside.add(me)
        while self._halting:
            self._inside.discard(me)
            clock.sleep(_MOMENT)
            self._inside.add(me)
