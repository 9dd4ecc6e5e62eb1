"""One place for a worker process."""

from __future__ import annotations

import signal
from collections.abc import Callable
from math import inf

from windlass.worker.supervisor.backoff import Backoff
from windlass.worker.supervisor.worker_process import WorkerProcess


class Slot:
    """``start`` makes a process for it. While processes are replaced it may hold two, the old one and its successor."""

    def __init__(self, start: Callable[[], WorkerProcess]) -> None:
        self._start = start
        self.backoff = Backoff()
        self.current: WorkerProcess | None = None
        self.successor: WorkerProcess | None = None
        self.is_closed = False
        """Whether its worker was stopped by an order: it stays empty."""
        self._due = 0.0

    @property
    def due(self) -> float:
        """When to fill it if it is empty, on the monotonic clock."""
        return inf if self.is_closed else self._due

    @due.setter
    def due(self, due: float) -> None:
        self._due = due

    @property
    def processes(self) -> list[WorkerProcess]:
        return [process for process in (self.current, self.successor) if process is not None]

    def fill(self, now: float) -> None:
        """Start a process if it is empty and its time has come."""
        if self.current is None and self.due <= now:
            self.current = self._start()

    def prepare(self) -> WorkerProcess:
        """Start a successor."""
        self.successor = self._start()
        return self.successor

    def leave_empty(self) -> None:
        """Leave it empty until a time to fill it is set."""
        self.due = inf

    def signal(self, number: signal.Signals) -> None:
        for process in self.processes:
            process.signal(number)

    def vacate(self, process: WorkerProcess) -> None:
        """Remove a process that has ended; a successor takes its place."""
        process.close()
        if process is self.successor:
            self.successor = None
        else:
            self.current, self.successor = self.successor, None
