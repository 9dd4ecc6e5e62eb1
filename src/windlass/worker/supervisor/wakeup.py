"""Wakes the supervisor: signals, deaths, reports."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from windlass.worker.process.sighup import is_at_terminal, is_hangup_ours
from windlass.worker.process.stacks import StackSignal
from windlass.worker.supervisor.worker_process import WorkerProcess

_OBEYED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)


class SupervisorWakeup:
    """``with SupervisorWakeup() as wake``: signals are counted as they come; ``wait`` returns early on each of them."""

    def __init__(self) -> None:
        self.stops = 0
        """How often a stop was asked for."""
        self._renewals = 0
        self._is_at_terminal = False
        self._former: dict[int, object] = {}
        self._former_fd = -1
        self._stacks = StackSignal()
        self._read, self._write = os.pipe()
        for end in (self._read, self._write):
            os.set_blocking(end, False)

    def __enter__(self) -> SupervisorWakeup:
        self._former_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._is_at_terminal = is_at_terminal()
        obeyed = (*_OBEYED, signal.SIGHUP) if is_hangup_ours() else _OBEYED
        self._former = {number: signal.signal(number, self._received) for number in obeyed}
        self._stacks.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stacks.__exit__()
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave is what it takes
        signal.set_wakeup_fd(self._former_fd)
        os.close(self._read)
        os.close(self._write)

    def renew(self) -> None:
        """Ask for a replacement of all processes, from any thread."""
        self._renewals += 1
        with suppress(BlockingIOError, OSError):  # a full pipe wakes it anyway; a closed one needs no wake-up
            os.write(self._write, b"\0")

    def take_renewals(self) -> bool:
        """Whether a replacement was asked for since the last call."""
        asked, self._renewals = self._renewals, 0
        return asked > 0

    def wait(self, seconds: float, processes: Sequence[WorkerProcess]) -> list[WorkerProcess]:
        """Block until something happens; returns the processes whose pipe can be read."""
        sources: list[int | WorkerProcess] = [self._read, *processes]
        readable, _, _ = select.select(sources, [], [], max(0.0, seconds))
        if self._read in readable:
            with suppress(BlockingIOError):
                os.read(self._read, 4096)
        return [process for process in processes if process in readable]

    def _received(self, number: int, frame: FrameType | None) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self.stops += 1
        elif number == signal.SIGHUP and self._is_at_terminal:
            self.stops = max(self.stops, 1)  # the shell and the system may both send it: not an urgent stop
        elif number == signal.SIGHUP:
            self._renewals += 1
