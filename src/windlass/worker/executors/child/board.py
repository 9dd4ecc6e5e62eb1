"""Memory that a worker and its child share: what runs, since when, and what is to stop.

It is written before each call of user code, so that whoever looks after a death knows whom to charge.
"""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

from windlass.worker.run import Stop

_SEQ, _STARTED, _STOP_SEQ, _STOP_WHY = range(4)
_REASONS = tuple(Stop)
_MICROSECOND = 1_000_000


class Board:
    """Four numbers. The child writes the first two, the worker the others."""

    def __init__(self, context: SpawnContext) -> None:
        self._cells: Any = context.RawArray("q", 4)

    @property
    def running(self) -> int:
        """The seq of the job whose user code runs, or 0."""
        return int(self._cells[_SEQ])

    @property
    def started(self) -> float:
        """When it began, on the monotonic clock; 0 while its module is still being imported."""
        return float(self._cells[_STARTED]) / _MICROSECOND

    def prepare(self, seq: int) -> None:
        """From here on whatever happens is this job's doing."""
        self._cells[_STARTED] = 0
        self._cells[_SEQ] = seq

    def begin(self, started: float) -> None:
        """User code begins."""
        self._cells[_STARTED] = round(started * _MICROSECOND)

    def end(self) -> None:
        self._cells[_SEQ] = 0

    def want_stop(self, seq: int, why: Stop) -> None:
        self._cells[_STOP_WHY] = _REASONS.index(why)
        self._cells[_STOP_SEQ] = seq

    def wanted_stop(self, seq: int) -> Stop | None:
        """Why this job is to stop, if it is."""
        return _REASONS[self._cells[_STOP_WHY]] if self._cells[_STOP_SEQ] == seq else None
