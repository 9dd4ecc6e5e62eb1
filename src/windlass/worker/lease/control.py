"""Applies pauses, cancels, settings and lost leases to a worker."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

from windlass.client.session import Session
from windlass.core.ending import Ending
from windlass.core.outcome import Interrupted
from windlass.core.retry import read_retry
from windlass.core.state import State
from windlass.store.driver import Topic
from windlass.store.operations.cycle import finish
from windlass.store.operations.leases import PAUSE, STOP, Control
from windlass.worker.fetch.capacity import Capacity
from windlass.worker.fetch.pump import Pump
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.run import Run, StopReason

log = logging.getLogger("windlass.worker")

Held = tuple[int, int]
"""The seq and fence of a job that the store gave us."""


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
        worker: str,
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._capacity = capacity
        self._pump = pump
        self._worker = worker
        self._unknown: frozenset[Held] = frozenset()
        """What the store said that we hold, and we did not."""
        self._unknown_since = 0
        """How many cycles had begun then."""
        self._paused_by_signal = False
        self.is_paused = False
        """Whether the worker's owner paused it; others do that by signal."""
        self.is_asked_to_stop = False
        """Whether others want the worker to stop, by signal."""
        self.asked_to_stop_by = "somebody"

    @property
    def is_busy(self) -> bool:
        """Whether there are jobs that others may want to be stopped."""
        return self._dispatcher.is_busy or self._pump.owes

    def running(self) -> list[Run]:
        return self._dispatcher.running()

    def holds(self) -> set[Held]:
        """Every job that the worker knows to be its own."""
        return self._dispatcher.holds() | self._pump.holds()

    def apply(self, control: Control) -> None:
        """Do what others want."""
        self._paused_by_signal = control.signal == PAUSE
        if control.signal == STOP:
            self.asked_to_stop_by = control.signalled_by or self.asked_to_stop_by
            self.is_asked_to_stop = True
        self.update_claiming()
        self._capacity.reweigh({name: queue.weight for name, queue in control.queues.items()})
        self._attempts.queue_rules = {
            name: rule for name, queue in control.queues.items() if (rule := read_retry(queue.retry)) is not None
        }
        if control.cancels:
            self._cancel(control.cancels)

    def update_claiming(self) -> None:
        """Claim, or claim no more, as owner and signal want it."""
        may_claim = not (self.is_paused or self._paused_by_signal)
        was_allowed, self._pump.may_claim = self._pump.may_claim, may_claim
        if may_claim and not was_allowed:
            self._pump.news()

    def lease_lost(self) -> None:
        """Somebody else has, or will have, our jobs: stop what runs, forget what waits."""
        self._dispatcher.remove_buffered(lambda run: True)
        self.stop_lost_runs(self._dispatcher.running())

    def stop_lost_runs(self, runs: Collection[Run]) -> None:
        for run in runs:
            log.error("job %s: lost under fence %s; stopping it", run.job.id, run.job.fence)
        self._dispatcher.stop(runs, StopReason.LOST)

    def release_unknown(self, held: frozenset[Held]) -> None:
        """Hand back jobs that the store says we hold and that no part of this worker knows: an answer was lost.

        A claim under way explains that a job is unknown. A job has gone astray if it is unknown still when every claim
        has come in that was under way when it was found to be unknown.
        """
        settled = self._pump.settled_count  # read first: what it brought in is among what we hold
        unknown = held - self.holds()
        if settled < self._unknown_since:
            self._unknown &= unknown
            return
        strays = unknown & self._unknown
        self._unknown, self._unknown_since = unknown, self._pump.cycle_count
        if strays:
            self._release_unknown(strays)

    def _release_unknown(self, strays: Collection[Held]) -> None:
        log.error("the store holds %s jobs in our name that never arrived; handing them back", len(strays))
        # They never began, so no death speaks against them.
        endings = [Ending(seq, fence, State.PENDING) for seq, fence in strays]
        self._session.run(finish(endings, worker=self._worker))
        self._session.notify(Topic.WORK)

    def stop_running(self) -> None:
        """Ask everything that runs to stop and to go back."""
        self._dispatcher.stop(self._dispatcher.running(), StopReason.SHUTDOWN)

    def release_running(self) -> None:
        """Hand back what still runs, uncharged; whatever it gives later is dropped."""
        for run in self._dispatcher.running():
            if run.is_cooperative:
                self._dispatcher.interrupt_again(run)  # it was told, and did not look in time
        given_up = self._dispatcher.give_up(self._dispatcher.running())
        for run in given_up:
            log.warning("job %s still runs; handing it back", run.job.id)
        self._release(given_up)

    def _cancel(self, wanted: frozenset[Held]) -> None:
        def is_wanted(run: Run) -> bool:
            return (run.job.seq, run.job.fence) in wanted

        self._release(self._dispatcher.remove_buffered(is_wanted))
        self._dispatcher.stop(filter(is_wanted, self._dispatcher.running()), StopReason.CANCELLED)

    def _release(self, runs: Iterable[Run]) -> None:
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in runs])
