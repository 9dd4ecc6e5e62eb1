"""The pipe through which a worker process reports that it is alive and ready."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from windlass.errors import ConfigError
from windlass.worker.executors.processes.child_side.parent_death import die_with_parent

if TYPE_CHECKING:
    from windlass.worker.liveness import WorkerLiveness

READY = b"r"
LIVE = b"l"
STUCK = b"s"
MISUSED = b"m"
STOPPED = b"a"
_PAUSE = 0.5
_PAUSE_AT_START = 0.1
"""Seconds until the worker is ready: what the supervisor decides at the start depends on it."""
_NEVER = 3600.0


class StatusPipe:
    """The child's end. ``address`` is what the parent gave it: its process id and the pipe's number."""

    def __init__(self, address: str, liveness: WorkerLiveness) -> None:
        parent, _, pipe = address.partition(":")
        if not (parent.isdigit() and pipe.isdigit()):
            raise ConfigError("--supervised is for worker processes that `windlass worker --processes` starts itself")
        # A worker whose parent died stops as on a signal: nothing is charged, and no job waits for a lease to expire.
        self._system_tells = _stop_with_parent(int(parent))
        self._pipe = int(pipe)
        self._liveness = liveness
        self._was_ready = False
        os.set_inheritable(self._pipe, False)
        os.set_blocking(self._pipe, False)

    def tick(self) -> float:
        """Report the worker's state; the seconds until the next report."""
        word = self._word()
        self._was_ready = self._was_ready or word == READY
        try:
            with suppress(BlockingIOError):  # the parent is busy, and will read what is in the pipe
                os.write(self._pipe, word)
        except OSError:  # the supervisor is gone
            if not self._system_tells:  # a second signal for one death would end the grace time
                os.kill(os.getpid(), signal.SIGTERM)
            return _NEVER
        return _PAUSE if self._was_ready else _PAUSE_AT_START

    def misused(self) -> None:
        """Report, last, that the worker cannot start with its settings."""
        self._last(MISUSED)

    def stopped(self) -> None:
        """Report, last, that an order has stopped this worker: it is not restarted."""
        self._last(STOPPED)

    def _last(self, word: bytes) -> None:
        with suppress(OSError):
            os.write(self._pipe, word)

    def _word(self) -> bytes:
        if self._liveness.liveness_problem() is not None:
            return STUCK
        return LIVE if self._liveness.readiness_problem() is not None else READY


def _stop_with_parent(parent: int) -> bool:
    """Have the parent's death stop this worker as one SIGTERM does; false where the system does not tell of it."""
    if sys.platform != "linux":
        return False
    is_told = False

    def stop(number: int, frame: object) -> None:
        nonlocal is_told
        if not is_told:
            is_told = True
            os.kill(os.getpid(), signal.SIGTERM)

    # A signal of its own: Linux sends it once for each thread of the parent that dies after the one that started this
    # process, and a second SIGTERM would end the grace time.
    signal.signal(signal.SIGRTMIN, stop)
    return die_with_parent(parent, by=signal.SIGRTMIN)
