"""Stops runs that take too long, asks again, and finally abandons them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from math import inf

from windlass import clock
from windlass.client.session import Session
from windlass.core.outcome import Interrupted, StopReason
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.reporting import record_job_event
from windlass.worker.runs.run import Run

Check = Callable[[float], None]
"""Checks something else, with the time on the monotonic clock."""

log = logging.getLogger("windlass.worker")

_LATEST = 0.25
"""Seconds after its time limit in which a run is stopped at the latest."""
_ASK_AGAIN = 1.0
_TRY_AGAIN = 0.005
"""Seconds until the next try to interrupt a run that was not in user code."""
ABANDONED_ALLOWED = 3
"""A worker with so many abandoned runs has to be replaced."""


class Watchdog:
    """``tick()`` checks all runs from outside, so it costs them nothing."""

    def __init__(
        self,
        *,
        session: Session,
        attempts: AttemptRules,
        dispatcher: Dispatcher,
        worker: str,
        patience: float,
        checks: Sequence[Check] = (),
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._worker = worker
        self._patience = patience
        self._ask_again = min(_ASK_AGAIN, patience / 2)
        self._checks = checks
        self.is_exhausted = False
        """Whether too many abandoned runs executed at once."""

    def tick(self) -> float:
        """One round; the seconds until the next."""
        now = clock.monotonic()
        for check in self._checks:
            check(now)
        self.is_exhausted = self.is_exhausted or self._dispatcher.stuck_count >= ABANDONED_ALLOWED
        nearest = inf
        for run in self._dispatcher.running():
            if run.stop is not None:
                self._insist(run, now)
                if run.wants_interrupt:
                    nearest = now + _TRY_AGAIN
            elif run.ends_at is not None:
                if run.ends_at <= now:
                    self._dispatcher.stop([run], StopReason.TIMED_OUT)
                else:
                    nearest = min(nearest, run.ends_at)
        return min(_LATEST, max(_TRY_AGAIN, nearest - now))

    def _insist(self, run: Run, now: float) -> None:
        """Interrupt a run again that has swallowed the exception; abandon one that does not stop."""
        if now - run.stop_asked >= self._patience and not run.task.is_isolated:  # a child is killed by its executor
            self._abandon(run)
        elif run.wants_interrupt or now - run.last_asked >= self._ask_again:
            self._dispatcher.interrupt_again(run)
            self._note_overtime(run, now)

    def _note_overtime(self, run: Run, now: float) -> None:
        """Record, for ``why``, that a run goes on after its time limit; once, and not for a run that stops at once."""
        is_late = run.stop is StopReason.TIMED_OUT and now - run.stop_asked >= self._ask_again
        if is_late and run.ends_at is not None and not run.is_overtime_noted:
            run.is_overtime_noted = True
            detail = {"limit": round(run.time_limit, 3), "over": round(now - run.ends_at, 3)}
            record_job_event(self._session, "overtime", {run.job: detail}, worker=self._worker)

    def _abandon(self, run: Run) -> None:
        if run.started is None:
            self._release(run)  # it waits behind runs that do not stop, and will not begin any more
            return
        if not self._dispatcher.abandon(run):
            return
        ending = self._attempts.ending(run, self._attempts.abandoned(run))
        run.is_abandoned = True
        text = "job %s: %s, and did not stop within %g s; going on without it"
        log.error(text, run.job.id, _why(run), self._patience, extra=about(run.job, "job_abandoned"))
        if run.stop not in (StopReason.SHUTDOWN, StopReason.LOST):
            self._dispatcher.add_endings([(ending, run.job)])
            detail = {"why": _why(run), "state": str(ending.state)}
            record_job_event(self._session, "abandoned", {run.job: detail}, worker=self._worker)

    def _release(self, run: Run) -> None:
        for given_up in self._dispatcher.drop([run]):
            self._dispatcher.add_endings([(self._attempts.ending(given_up, Interrupted()), given_up.job)])


def _why(run: Run) -> str:
    return {
        StopReason.CANCELLED: "it was cancelled",
        StopReason.TIMED_OUT: "its time was over",
        StopReason.SHUTDOWN: "it was given up",
        StopReason.LOST: "its lease was lost",
    }[run.stop or StopReason.SHUTDOWN]
