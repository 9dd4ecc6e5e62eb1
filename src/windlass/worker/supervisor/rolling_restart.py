"""Replaces all processes one after another."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable

from windlass.worker.supervisor.slot import Slot
from windlass.worker.supervisor.worker_process import WorkerProcess

log = logging.getLogger("windlass.supervisor")

_PATIENCE = 60.0
"""Seconds within which a new process has to be ready."""


class RollingRestart:
    """A successor is started first; the old process is stopped when its successor is ready."""

    def __init__(self, *, leave_within: float) -> None:
        self._leave_within = leave_within
        """Seconds after which an old process that does not exit is killed."""
        self._waiting: deque[Slot] = deque()
        self._slot: Slot | None = None
        self._old: WorkerProcess | None = None

    @property
    def is_under_way(self) -> bool:
        return self._slot is not None or bool(self._waiting)

    def begin(self, slots: Iterable[Slot]) -> None:
        """Replace the processes in these slots; a replacement under way is finished first."""
        self._waiting = deque(slots)

    def give_up(self) -> None:
        """Replace no more; the processes there are stay."""
        self._waiting.clear()

    def advance(self, now: float) -> None:
        """Take the next step if it is possible now."""
        slot = self._slot
        if slot is None or slot.current is None or slot.current is not self._old:
            self._next()  # the old one is gone, its successor is in its place
        elif slot.successor is None:
            log.error("a new worker process ended before it was ready; keeping the ones there are")
            self._slot = None
            self.give_up()
        elif slot.successor.is_ready:
            slot.current.retire(now + self._leave_within)
        elif now - slot.successor.began >= _PATIENCE:
            log.error("a new worker process was not ready within %g s; keeping the ones there are", _PATIENCE)
            slot.successor.kill()

    def _next(self) -> None:
        self._slot = None
        while self._waiting:
            slot = self._waiting.popleft()
            if slot.current is not None:  # an empty slot gets a new process anyway
                self._slot, self._old = slot, slot.current
                self._prepare(slot)
                return

    def _prepare(self, slot: Slot) -> None:
        try:
            slot.prepare()
        except (OSError, MemoryError) as error:  # the next round notices that there is no successor
            log.error("cannot start a worker process: %s", error)
