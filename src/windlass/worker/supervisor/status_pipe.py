"""The pipe through which a worker process reports that it is alive and ready."""

from __future__ import annotations

import os
import signal
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
_NEVER = 3600.0


class StatusPipe:
    """The child's end. ``address`` is what the parent gave it: its process id and the pipe's number."""

    def __init__(self, address: str, liveness: WorkerLiveness) -> None:
        parent, _, pipe = address.partition(":")
        if not (parent.isdigit() and pipe.isdigit()):
            raise ConfigError("--supervised is for worker processes that `windlass worker --processes` starts itself")
        # A worker whose parent died stops as on a signal: nothing is charged, and no job waits for a lease to expire.
        self._system_tells = die_with_parent(int(parent), by=signal.SIGTERM)
        self._pipe = int(pipe)
        self._liveness = liveness
        os.set_inheritable(self._pipe, False)
        os.set_blocking(self._pipe, False)

    def tick(self) -> float:
        """Report the worker's state; the seconds until the next report."""
        try:
            with suppress(BlockingIOError):  # the parent is busy, and will read what is in the pipe
                os.write(self._pipe, self._word())
        except OSError:  # the supervisor is gone
            if not self._system_tells:  # a second signal for one death would end the grace time
                os.kill(os.getpid(), signal.SIGTERM)
            return _NEVER
        return _PAUSE

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
