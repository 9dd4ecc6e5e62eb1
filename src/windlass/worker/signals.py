"""Running a worker until a signal ends it."""

from __future__ import annotations

import logging
import signal
from threading import Event
from types import FrameType

from windlass import clock
from windlass.worker.worker import Worker

log = logging.getLogger("windlass.worker")

_STOPPING = (signal.SIGTERM, signal.SIGINT)


class StopSignals:
    """The first SIGTERM or SIGINT asks for a stop, the second for a stop now."""

    def __init__(self) -> None:
        self.first = Event()
        self.count = 0
        self._former: dict[int, object] = {}

    def __enter__(self) -> StopSignals:
        self._former = {number: signal.signal(number, self._received) for number in _STOPPING}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave is what it takes

    @property
    def is_second(self) -> bool:
        return self.count > 1

    def _received(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.first.set()


def run_until_signalled(worker: Worker) -> None:
    """Start the worker, wait for a signal, stop within the grace time, or at once on a second signal."""
    with StopSignals() as signals:
        worker.start()
        # In pieces, so that the main thread comes back to Python and runs the handler.
        while not clock.wait(signals.first, 0.5):
            pass
        log.info("stopping: finishing what runs; send the signal again to stop now")
        worker.stop(is_urgent=lambda: signals.is_second)
