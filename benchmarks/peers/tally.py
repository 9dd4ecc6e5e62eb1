"""What a peer's worker process counts: runs, and how long jobs took to be picked up."""

from __future__ import annotations

import time
from array import array
from collections.abc import Mapping
from itertools import count
from threading import Event
from typing import Any

from benchmarks.channel import usage
from benchmarks.figures import delays

_LONGEST = 600


class Tally:
    """Counts runs from any thread. The time runs from the first run after the warm-up to the last one."""

    def __init__(self, *, warm_up: int, timed: int) -> None:
        self._first = warm_up
        self._last = warm_up + timed - 1
        self._runs = count()
        self._began = 0.0
        self._cpu = 0.0
        self._done = Event()
        self._figures: dict[str, float] = {}
        self._delays = array("q")

    def ran(self, sent: int) -> None:
        """One job has run; ``sent`` is the monotonic time in nanoseconds at which it was enqueued, or 0."""
        if sent:
            self._delays.append(time.monotonic_ns() - sent)
        number = next(self._runs)
        if number == self._first:
            self._began, self._cpu = time.monotonic(), time.process_time()
            del self._delays[:-1]
        if number == self._last:
            self._finish()

    def figures(self) -> Mapping[str, Any]:
        """Wait for the last run; jobs per second, CPU per job, and the delays if there are any."""
        if not self._done.wait(_LONGEST):
            raise TimeoutError(f"not all jobs ran within {_LONGEST} s")
        return {**self._figures, **(delays(self._delays) if self._delays else {})}

    def _finish(self) -> None:
        timed = self._last - self._first + 1
        seconds = max(time.monotonic() - self._began, 1e-9)
        self._figures = {
            "jobs_per_second": timed / seconds,
            "cpu_us_per_job": (usage()["cpu"] - self._cpu) / timed * 1e6,
        }
        self._done.set()
