"""Applies pauses, cancels, settings and lost leases to a worker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable

from windlass.client.session import Session
from windlass.core.ending import Ending
from windlass.core.outcome import Interrupted, StopReason
from windlass.core.retry import read_retry
from windlass.core.state import State
from windlass.store.driver import Topic
from windlass.store.operations.cycle import finish
from windlass.store.operations.leases import PAUSE, STOP, Control, workers
from windlass.worker.fetch.capacity import Capacity
from windlass.worker.fetch.pump import Pump
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.run import Run
from windlass.worker.runs.throttles import Throttles

log = logging.getLogger("windlass.worker")

Held = tuple[int, int]
"""The seq and fence of a claimed job."""


class WorkerControl:
    """Acts on the parts of a worker; called by its heartbeat and by its owner."""

    def __init__(
        self,
        *,
        session: Session,
        attempts: AttemptRules,
        dispatcher: Dispatcher,
        capacity: Capacity,
        pump: Pump,
        throttles: Throttles,
        follow_muted: Callable[[frozenset[str]], None],
        worker: str,
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._capacity = capacity
        self._pump = pump
        self._throttles = throttles
        self._follow_muted = follow_muted
        self._worker = worker
        self._unknown: frozenset[Held] = frozenset()
        """Jobs that the store says this worker holds, and that are in no part of it."""
        self._unknown_since = 0
        """How many cycles had begun then."""
        self._paused_by_signal = False
        self.is_paused = False
        """Whether code of this process paused the worker; operators pause it by an order in the store."""
        self.is_asked_to_stop = False
        """Whether an order in the store asks the worker to stop."""
        self.asked_to_stop_by = "an operator"

    @property
    def is_busy(self) -> bool:
        """Whether there are jobs that may be cancelled."""
        return self._dispatcher.is_busy or self._pump.has_unfinished

    def running(self) -> list[Run]:
        return self._dispatcher.running()

    def holds(self) -> set[Held]:
        """Every claimed job that is somewhere in this worker."""
        return self._dispatcher.holds() | self._pump.holds()

    def apply(self, control: Control) -> None:
        """Apply orders from the store."""
        self._paused_by_signal = control.signal == PAUSE
        if control.signal == STOP:
            self.asked_to_stop_by = control.signalled_by or self.asked_to_stop_by
            self.is_asked_to_stop = True
        self.update_claiming()
        self._capacity.reweigh({name: queue.weight for name, queue in control.queues.items()})
        self._attempts.queue_rules = {
            name: rule for name, queue in control.queues.items() if (rule := read_retry(queue.retry)) is not None
        }
        self._throttles.follow(control.cooling_tasks)
        self._follow_muted(control.muted)
        if control.cancels:
            self._cancel(control.cancels)

    def count_sharers(self, now: float) -> None:
        """Where jobs run under a limit, count the workers that share it, now and then."""
        if self._capacity.running_limits.wants_count(now):
            self._capacity.running_limits.share_among(self._session.run(workers()))

    def update_claiming(self) -> None:
        """Claim unless the worker is paused, here or by an order."""
        may_claim = not (self.is_paused or self._paused_by_signal)
        was_allowed, self._pump.may_claim = self._pump.may_claim, may_claim
        if may_claim and not was_allowed:
            self._pump.notified()

    def lease_lost(self) -> None:
        """Our jobs belong or will belong to other workers: stop what runs, forget what waits."""
        self._dispatcher.remove_buffered(lambda run: True)
        self.stop_lost_runs(self._dispatcher.running())

    def stop_lost_runs(self, runs: Collection[Run]) -> None:
        for run in runs:
            text = "job %s: its lease was lost under fence %s; stopping it"
            log.error(text, run.job.id, run.job.fence, extra=about(run.job, "job_lost"))
        self._dispatcher.stop(runs, StopReason.LOST)

    def release_unknown(self, held: frozenset[Held]) -> None:
        """Release jobs that the store says this worker holds and that are in no part of it: a cycle got no reply.

        A job may also be unknown because a cycle is under way. So it is released only if it is still unknown when every
        cycle has ended that was under way when it was first found.
        """
        settled = self._pump.settled_count  # read first: ``holds`` then has all that these cycles claimed
        unknown = held - self.holds()
        if settled < self._unknown_since:
            self._unknown &= unknown
            return
        missing = unknown & self._unknown
        self._unknown, self._unknown_since = unknown, self._pump.cycle_count
        if missing:
            self._release_unknown(missing)

    def _release_unknown(self, missing: Collection[Held]) -> None:
        log.error("the store holds %s jobs in our name that never arrived; releasing them", len(missing))
        # They never began, so no death is charged to them.
        endings = [Ending(seq, fence, State.PENDING) for seq, fence in missing]
        self._session.run(finish(endings, worker=self._worker))
        self._session.notify(Topic.WORK)

    def stop_running(self) -> None:
        """Ask all runs to stop; their jobs are released."""
        self._dispatcher.stop(self._dispatcher.running(), StopReason.SHUTDOWN)

    def release_running(self) -> None:
        """Release jobs that still run, uncharged; the results of these runs are dropped."""
        for run in self._dispatcher.running():
            if run.is_cooperative:
                self._dispatcher.interrupt_again(run)  # it was asked to stop, and did not check in time
        given_up = self._dispatcher.drop(self._dispatcher.running())
        for run in given_up:
            log.warning("job %s still runs; releasing it", run.job.id, extra=about(run.job, "job_released"))
        self._release(given_up)

    def _cancel(self, wanted: frozenset[Held]) -> None:
        def is_wanted(run: Run) -> bool:
            return (run.job.seq, run.job.fence) in wanted

        self._release(self._dispatcher.remove_buffered(is_wanted))
        self._dispatcher.stop(filter(is_wanted, self._dispatcher.running()), StopReason.CANCELLED)

    def _release(self, runs: Iterable[Run]) -> None:
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in runs])
