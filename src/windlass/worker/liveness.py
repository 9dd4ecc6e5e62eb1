"""Whether a worker is alive and ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from windlass import clock
from windlass.worker.lease.heartbeat import Heartbeat
from windlass.worker.status import StatusReporter
from windlass.worker.ticker import Ticker

Trouble = Callable[[], str | None]
"""What is wrong at this moment, or None."""

_SILENT = 3.5
"""Seconds without a reply of the store after which a worker is not ready."""
_STILL = 15.0
"""Seconds without a round of the pump, longer than any call to the store may take, after which it is not ready."""
_STUCK = 60.0
"""Seconds without a heartbeat, which may have to wait for a store that is away, after which a worker is not alive."""


class WorkerLiveness:
    """Judges a worker by its heartbeat and by other troubles: ``losses`` need a restart, ``troubles`` may end by
    themselves.
    """

    def __init__(
        self,
        *,
        heartbeat: Heartbeat,
        pumping: Ticker,
        status_reporter: StatusReporter,
        losses: Sequence[Trouble],
        troubles: Sequence[Trouble],
    ) -> None:
        self._losses = losses
        self._troubles = (*losses, *troubles)
        self._heartbeat = heartbeat
        self._pumping = pumping
        self._status = status_reporter

    def liveness_problem(self) -> str | None:
        """Why the process needs a restart, or None. A store that is away is no reason: a restart would not bring it
        back.
        """
        if self._status.state == "starting":
            return None
        silent = clock.monotonic() - self._heartbeat.ticked
        if silent >= _STUCK:
            return f"the heartbeat has stood still for {silent:.0f} s"
        return self._standstill(_STUCK) or _first(self._losses)

    def readiness_problem(self) -> str | None:
        """Why it takes no jobs, or None."""
        if self._status.state in ("starting", "draining"):
            return self._status.state
        if trouble := _first(self._troubles):
            return trouble
        silent = self._heartbeat.silence(clock.monotonic())
        if silent >= _SILENT:
            return f"the store has not answered for {silent:.0f} s"
        if standstill := self._standstill(_STILL):
            return standstill
        return None if self._heartbeat.lease else "it lost its lease"

    def _standstill(self, allowed: float) -> str | None:
        """The pump makes a round every second; it is what fetches jobs and writes how they ended."""
        still = clock.monotonic() - self._pumping.ticked
        return f"the pump has stood still for {still:.0f} s" if still >= allowed else None


def _first(troubles: Sequence[Trouble]) -> str | None:
    return next((trouble for trouble_of in troubles if (trouble := trouble_of())), None)
