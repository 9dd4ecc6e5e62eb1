"""Memory that worker and child share: what runs, since when, what is to stop.

It is written before each call of user code, so that after a death the worker knows which job to charge.
"""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from typing import Any

from windlass.core.outcome import StopReason
from windlass.core.records import Claimed
from windlass.worker.executors.processes.child_side.last_output import LastOutput

_SEQ, _STARTED, _ENDS, _STOP_SEQ, _STOP_FENCE, _STOP_WHY = range(6)
_REASONS = tuple(StopReason)
_MICROSECOND = 1_000_000


class SharedRunState:
    """Six numbers, and the last output of the run. The child writes the first three, the worker the others."""

    def __init__(self, context: SpawnContext) -> None:
        self._cells: Any = context.RawArray("q", 6)
        self.last_output = LastOutput(context)

    @property
    def running(self) -> int:
        """The seq of the job whose user code runs, or 0."""
        return int(self._cells[_SEQ])

    @property
    def started(self) -> float:
        """When it began, on the monotonic clock; 0 while its module is still being imported."""
        return float(self._cells[_STARTED]) / _MICROSECOND

    @property
    def ends(self) -> float:
        """When its time limit ends, if the task asked for more time; 0 otherwise."""
        return float(self._cells[_ENDS]) / _MICROSECOND

    def prepare(self, seq: int) -> None:
        """From here on a death is charged to this job."""
        self._cells[_STARTED] = self._cells[_ENDS] = 0
        self.last_output.clear()
        self._cells[_SEQ] = seq

    def begin(self, started: float) -> None:
        """User code begins."""
        self._cells[_STARTED] = round(started * _MICROSECOND)

    def extend(self, ends: float) -> None:
        """The task asked for more time: its limit ends later than the worker knows."""
        self._cells[_ENDS] = round(ends * _MICROSECOND)

    def end(self) -> None:
        self._cells[_SEQ] = 0

    def want_stop(self, job: Claimed, why: StopReason) -> None:
        self._cells[_STOP_SEQ] = 0
        self._cells[_STOP_WHY] = _REASONS.index(why)
        self._cells[_STOP_FENCE] = job.fence
        self._cells[_STOP_SEQ] = job.seq

    def wanted_stop(self, job: Claimed) -> StopReason | None:
        """Why this run is to stop, if it is; a stop of an earlier run of the same job does not count."""
        if self._cells[_STOP_SEQ] != job.seq or self._cells[_STOP_FENCE] != job.fence:
            return None
        return _REASONS[int(self._cells[_STOP_WHY])]
