"""The pipe through which a worker process reports that it is alive and ready."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from windlass.errors import ConfigError
from windlass.worker.executors.processes.child_side.parent_death import die_with_parent

if TYPE_CHECKING:
    from windlass.worker.liveness import Liveness

READY = b"r"
LIVE = b"l"
STUCK = b"s"
MISUSED = b"m"
STOPPED = b"a"
_PAUSE = 0.5
_NEVER = 3600.0


class StatusPipe:
    """The child's end. ``address`` is what the parent gave it: its process id and the pipe's number."""

    def __init__(self, address: str, liveness: Liveness) -> None:
        parent, _, pipe = address.partition(":")
        if not (parent.isdigit() and pipe.isdigit()):
            raise ConfigError("--supervised is for worker processes that `windlass worker --processes` starts itself")
        # A worker that lost its parent leaves as it would on a signal: nothing is charged, nothing waits for a lease.
        self._system_tells = die_with_parent(int(parent), by=signal.SIGTERM)
        self._pipe = int(pipe)
        self._liveness = liveness
        os.set_inheritable(self._pipe, False)
        os.set_blocking(self._pipe, False)

    def tick(self) -> float:
        """Tell how the worker is; the seconds until the next time."""
        try:
            with suppress(BlockingIOError):  # the parent stands still, and will read what is there
                os.write(self._pipe, self._word())
        except OSError:  # the supervisor is gone
            if not self._system_tells:  # a second signal for one death would end the grace time
                os.kill(os.getpid(), signal.SIGTERM)
            return _NEVER
        return _PAUSE

    def misused(self) -> None:
        """Tell, as the last word, that the worker cannot begin as it was told to."""
        self._last(MISUSED)

    def stopped(self) -> None:
        """Tell, as the last word, that others asked this worker to stop: not to be started again."""
        self._last(STOPPED)

    def _last(self, word: bytes) -> None:
        with suppress(OSError):
            os.write(self._pipe, word)

    def _word(self) -> bytes:
        if self._liveness.death() is not None:
            return STUCK
        return LIVE if self._liveness.readiness_problem() is not None else READY
