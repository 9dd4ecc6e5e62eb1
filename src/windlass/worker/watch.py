"""Looks after runs that take too long: stops them, asks again, and in the end goes on without them."""

from __future__ import annotations

import logging
from math import inf

from windlass import clock
from windlass.core.state import State
from windlass.errors import WindlassError
from windlass.session import Session
from windlass.store.jobs import note
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.run import Run, Stop

log = logging.getLogger("windlass.worker")

_LATEST = 0.25
"""How late, in seconds, a time limit may be noticed."""
_ASK_AGAIN = 1.0
ABANDONED_ALLOWED = 3
"""With so many runs that would not stop a worker is no longer fit for work."""


class Watch:
    """``tick()`` looks at everything that runs; nothing is asked of the runs themselves, so it costs them nothing."""

    def __init__(
        self, *, session: Session, attempts: Attempts, dispatcher: Dispatcher, worker: str, patience: float
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._worker = worker
        self._patience = patience
        self._asked = 0.0

    @property
    def is_exhausted(self) -> bool:
        """Whether too many runs would not stop."""
        return self._dispatcher.abandoned_count >= ABANDONED_ALLOWED

    def tick(self) -> float:
        """One round; the seconds until the next."""
        now = clock.monotonic()
        asks_again = now - self._asked >= _ASK_AGAIN
        if asks_again:
            self._asked = now
        nearest = inf
        for run in self._dispatcher.running():
            if run.stop is not None:
                self._insist(run, now, asks_again=asks_again)
            elif run.ends_at is not None:
                if run.ends_at <= now:
                    self._dispatcher.stop(run, Stop.TIMED_OUT)
                else:
                    nearest = min(nearest, run.ends_at)
        return min(_LATEST, max(0.01, nearest - now))

    def _insist(self, run: Run, now: float, *, asks_again: bool) -> None:
        """A run may swallow what stops it, so it is asked again; one that never stops is left to itself."""
        if now - run.stop_asked >= self._patience and not run.task.is_isolated:  # a child is killed by its executor
            self._abandon(run)
        elif asks_again and now - run.stop_asked >= _ASK_AGAIN / 2:
            self._dispatcher.stop(run, run.stop or Stop.GIVEN_UP)

    def _abandon(self, run: Run) -> None:
        ending = self._attempts.ending(run, self._attempts.abandoned(run))
        if not self._dispatcher.abandon(run):
            return
        log.error(
            "job %s: %s, and did not stop within %g s; going on without it", run.job.id, _why(run), self._patience
        )
        if run.stop is not Stop.GIVEN_UP:
            self._dispatcher.add_endings([(ending, run.job)])
            self._leave_word(run, ending.state)

    def _leave_word(self, run: Run, state: State) -> None:
        detail = {"why": _why(run), "state": str(state)}
        try:
            self._session.run(note([(run.job.seq, run.job.fence, "abandoned", detail)], worker=self._worker))
        except WindlassError as error:
            log.warning("job %s: could not note that it was abandoned: %s", run.job.id, error)


def _why(run: Run) -> str:
    return {
        Stop.CANCELLED: "it was cancelled",
        Stop.TIMED_OUT: "its time was over",
        Stop.GIVEN_UP: "it was given up",
    }[run.stop or Stop.GIVEN_UP]
