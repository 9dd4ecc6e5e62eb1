"""The suspect that a worker claimed last; other suspects wait until it has ended."""

from __future__ import annotations

from collections.abc import Callable

from windlass.core.suspect import has_to_run_alone, keeps_suspects_waiting_for
from windlass.worker.runs.run import Run

_FRESH = 10.0
"""A run that has lasted so many seconds is not expected to kill its process."""
_ALONE = 60.0
"""Other runs wait for so many seconds at the most for a suspect that has to run alone."""


class SuspectInFlight:
    """Follows the suspect that the pump claimed last, until it has ended or others may start beside it.

    ``is_held`` says whether a run is still on its way through the worker.
    """

    def __init__(self, is_held: Callable[[Run], bool]) -> None:
        self._is_held = is_held
        self._run: Run | None = None
        self._watched_for = 0.0
        self._runs_alone = False

    def follow(self, run: Run) -> None:
        """A suspect was claimed."""
        self._run = run
        self._watched_for = keeps_suspects_waiting_for(run.job) / 1000
        # Also in a child: the store cannot distinguish its death from that of the worker, which another job may cause.
        self._runs_alone = has_to_run_alone(run.job)

    def is_none(self, now: float) -> bool:
        """Whether another suspect may be claimed."""
        run = self._run
        if run is not None and (_has_outlived(run, now, self._watched_for) or not self._is_held(run)):
            self._run = None
        return self._run is None

    def keeps_others_waiting(self, now: float) -> bool:
        """Whether nothing else may be claimed, because the suspect runs alone or is about to."""
        run = self._run
        return run is not None and self._runs_alone and not _has_outlived(run, now, min(self._watched_for, _ALONE))

    def has_to_wait(self, run: Run, others: list[Run], now: float) -> bool:
        """Whether a run has to wait until none of the ``others`` is fresh, so that its death is certainly its own."""
        if not self.is_to_run_alone(run):
            return False
        return any(other.started is None or now - other.started < _FRESH for other in others)

    def is_to_run_alone(self, run: Run) -> bool:
        return run is self._run and self._runs_alone


def _has_outlived(run: Run, now: float, seconds: float) -> bool:
    return run.started is not None and now - run.started > seconds
