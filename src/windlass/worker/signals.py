"""Running a worker until a signal ends it."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import current_thread, main_thread
from types import FrameType

from windlass.errors import ConfigError
from windlass.worker.worker import Worker

log = logging.getLogger("windlass.worker")

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_PIECE = 0.5
_SHORT_PIECE = 0.05


class StopSignals:
    """The first SIGTERM or SIGINT asks for a stop, the second for a stop now."""

    def __init__(self) -> None:
        self._count = 0
        # The handler may interrupt any line of the main thread: this is what a handler may put into, an Event is not.
        self._arrivals: SimpleQueue[int] = SimpleQueue()
        self._former: dict[int, object] = {}

    def __enter__(self) -> StopSignals:
        if current_thread() is not main_thread():
            raise ConfigError("signals reach only the main thread; elsewhere use `with app.worker(): ...`")
        self._former = {number: signal.signal(number, self._received) for number in _STOPPING}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave is what it takes

    def has_come(self) -> bool:
        """Whether a stop was asked for."""
        return self._count > 0

    def is_urgent(self) -> bool:
        """Whether a stop was asked for more than once."""
        return self._count > 1

    def wait(self, *, unless: Callable[[], bool] = lambda: False, piece: float = _PIECE) -> None:
        """Block until the first signal, or until ``unless`` is true, which is asked every ``piece`` seconds."""
        # In pieces: the system may give the signal to any thread, and then nothing wakes this one to run the handler.
        while not (self.has_come() or unless()):
            with suppress(Empty):
                self._arrivals.get(timeout=piece)

    def _received(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        self._arrivals.put(number)


def run_until_signalled(
    worker: Worker, *, on_started: Callable[[], None] = lambda: None, is_worn: Callable[[], bool] = lambda: False
) -> bool:
    """Start the worker, wait for a signal, stop within the grace time, or at once on a second signal.

    ``on_started`` is called when the worker runs and signals are obeyed. True when no signal has come: the worker is
    worn, or has asked for it, and a fresh process should go on; what ran has ended by itself.
    """
    with StopSignals() as signals:
        worker.start()
        on_started()
        signals.wait(unless=lambda: worker.wants_restart or is_worn())
        if not signals.has_come():
            log.info("claiming no more; a fresh process goes on when what runs has ended")
            worker.drain()
            signals.wait(unless=lambda: worker.is_drained, piece=_SHORT_PIECE)
        if signals.has_come():
            log.info("stopping: finishing what runs; send the signal again to stop now")
        worker.stop(is_urgent=signals.is_urgent)
    # Asked when signals are no longer ours: none that came in time may be overlooked.
    return not signals.has_come()


def run_burst(worker: Worker, *, on_started: Callable[[], None] = lambda: None) -> int:
    """Run what is ready, then stop; a signal stops it as it stops any worker. How many runs ended."""
    with StopSignals() as signals:
        worker.start()
        on_started()
        ended = worker.run_until_empty(is_over=signals.has_come)
        worker.stop(is_urgent=signals.is_urgent)
    return ended
