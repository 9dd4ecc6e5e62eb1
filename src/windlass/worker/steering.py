"""What others want of a worker: pauses, cancels, settings, and jobs that are ours no more."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

from windlass.core.ending import Ending
from windlass.core.outcome import Interrupted
from windlass.core.rules import read_retry
from windlass.core.state import State
from windlass.session import Session
from windlass.store.driver import Topic
from windlass.store.jobs import finish
from windlass.store.leases import PAUSE, STOP, Control
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.pump import Pump
from windlass.worker.room import Room
from windlass.worker.run import Run, Stop

log = logging.getLogger("windlass.worker")

Held = tuple[int, int]
"""The seq and fence of a job that the store gave us."""


class Steering:
    """Acts on the parts of a worker; called by its heartbeat and by its owner."""

    def __init__(
        self, *, session: Session, attempts: Attempts, dispatcher: Dispatcher, room: Room, pump: Pump, worker: str
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._room = room
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

    def obey(self, control: Control) -> None:
        """Do what others want."""
        self._paused_by_signal = control.signal == PAUSE
        if control.signal == STOP:
            self.asked_to_stop_by = control.signalled_by or self.asked_to_stop_by
            self.is_asked_to_stop = True
        self.follow_pause()
        self._room.reweigh({name: queue.weight for name, queue in control.queues.items()})
        self._attempts.queue_rules = {
            name: rule for name, queue in control.queues.items() if (rule := read_retry(queue.retry)) is not None
        }
        if control.cancels:
            self._cancel(control.cancels)

    def follow_pause(self) -> None:
        """Claim, or claim no more, as owner and signal want it."""
        may_claim = not (self.is_paused or self._paused_by_signal)
        was_allowed, self._pump.may_claim = self._pump.may_claim, may_claim
        if may_claim and not was_allowed:
            self._pump.news()

    def lease_lost(self) -> None:
        """Somebody else has, or will have, our jobs: stop what runs, forget what waits."""
        self._dispatcher.remove_buffered(lambda run: True)
        self.runs_lost(self._dispatcher.running())

    def runs_lost(self, runs: Collection[Run]) -> None:
        for run in runs:
            log.error("job %s: lost under fence %s; stopping it", run.job.id, run.job.fence)
        self._dispatcher.stop(runs, Stop.LOST)

    def hand_back_strays(self, held: frozenset[Held]) -> None:
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
            self._hand_back_strays(strays)

    def _hand_back_strays(self, strays: Collection[Held]) -> None:
        log.error("the store holds %s jobs in our name that never arrived; handing them back", len(strays))
        # They never began, so no death speaks against them.
        endings = [Ending(seq, fence, State.PENDING) for seq, fence in strays]
        self._session.run(finish(endings, worker=self._worker))
        self._session.tell(Topic.WORK)

    def give_up_running(self) -> None:
        """Ask everything that runs to stop and to go back."""
        self._dispatcher.stop(self._dispatcher.running(), Stop.GIVEN_UP)

    def hand_back_running(self) -> None:
        """Hand back what still runs, uncharged; whatever it gives later is dropped."""
        for run in self._dispatcher.running():
            if run.is_cooperative:
                self._dispatcher.insist(run)  # it was told, and did not look in time
        given_up = self._dispatcher.give_up(self._dispatcher.running())
        for run in given_up:
            log.warning("job %s still runs; handing it back", run.job.id)
        self._hand_back(given_up)

    def _cancel(self, wanted: frozenset[Held]) -> None:
        def is_wanted(run: Run) -> bool:
            return (run.job.seq, run.job.fence) in wanted

        self._hand_back(self._dispatcher.remove_buffered(is_wanted))
        self._dispatcher.stop(filter(is_wanted, self._dispatcher.running()), Stop.CANCELLED)

    def _hand_back(self, runs: Iterable[Run]) -> None:
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in runs])
