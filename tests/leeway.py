"""How long something may take on this machine, which may have little time for us."""

from __future__ import annotations

import os
from collections import deque
from threading import Event, Thread
from time import monotonic

_BESIDE = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
"""How many tests run at once: the load is a mean over a minute, and small when a run has just begun."""
_BEAT = 0.05
_KEPT = 120.0
"""Seconds; nothing that is timed here takes longer."""


class _Standstills:
    """Notes how much later than it wanted a thread gets its turn: for so long nobody here may have got one."""

    def __init__(self) -> None:
        self._late: deque[tuple[float, float]] = deque()

    def watch(self) -> None:
        pause, before = Event(), monotonic()
        while True:
            pause.wait(_BEAT)
            now = monotonic()
            self._note(now, now - before - _BEAT)
            before = now

    def _note(self, now: float, late: float) -> None:
        if late > _BEAT:
            self._late.append((now, late))
        while self._late and self._late[0][0] < now - _KEPT:
            self._late.popleft()

    def seconds(self) -> float:
        """How long they were together, in the time that is kept."""
        return sum(late for _, late in tuple(self._late))


_standstills = _Standstills()


def watch_machine() -> None:
    """From now on, until the process ends."""
    Thread(target=_standstills.watch, name="tests-standstills", daemon=True).start()


def leeway(seconds: float) -> float:
    """What may take so many seconds on a machine with nothing else to do may take so many here and now.

    Longer by the share of the others, and by all the time for which the machine has just stood still.
    """
    return seconds * (1 + max(os.getloadavg()[0], _BESIDE) / (os.cpu_count() or 1)) + _standstills.seconds()
