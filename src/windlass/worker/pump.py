"""The cycle: everything that ended goes out, as much as there is room for comes in, in one call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Event

from windlass import clock
from windlass.core.ending import Ending
from windlass.core.outcome import Interrupted
from windlass.core.record import Claimed
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.registry import Registry
from windlass.session import Session
from windlass.store.driver import DataRefused
from windlass.store.jobs import Claimant, Cycled, Mark, cycle, finish
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.room import Room
from windlass.worker.run import ReportProgress, Run

log = logging.getLogger("windlass.worker")

_POLL = 1.0
_LINGER = 0.005
"""How long endings may gather while the executors still have enough to do."""
_MARK_AFTER = 0.02
_MARK_BEFORE = 0.08
_HAND_BACK_AFTER = 1.0
_LONGEST_PAUSE = 1.0

Ended = tuple[Ending, Claimed]


class Pump:
    """One thread's duty. ``tick()`` makes one round; it never sees user code."""

    def __init__(
        self,
        *,
        session: Session,
        registry: Registry,
        attempts: Attempts,
        dispatcher: Dispatcher,
        room: Room,
        worker: str,
        lease: Callable[[], str],
        token: Callable[[], str],
        report: ReportProgress,
        wake: Event,
    ) -> None:
        self._session = session
        self._registry = registry
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._room = room
        self._worker = worker
        self._lease = lease
        self._token = token
        self._report = report
        self.wake = wake
        self._has_news = True
        self._unstarted: list[Run] = []
        """Last allowed attempts that the store must know of before they start."""
        self._unsent: list[Ended] = []
        """Endings that the store could not take yet."""
        self._failures = 0
        self._polled = 0.0
        self._cycled = 0.0
        self.may_claim = True
        self.refused_count = 0
        self.is_idle = False

    @property
    def owes(self) -> bool:
        """Whether something is still to be written or started."""
        return bool(self._unsent or self._unstarted)

    def news(self) -> None:
        """Something may have come: look into every queue again."""
        self._has_news = True
        self.wake.set()

    def ended(self) -> None:
        """Something ended, and the executors will soon have nothing left."""
        if not self.wake.is_set():
            self.wake.set()

    def pause(self) -> float:
        """How many seconds the next round may wait."""
        if self._failures:
            # Full jitter: workers that lost their store must not come back in step.
            return min(_LONGEST_PAUSE, 0.05 * float(2**self._failures)) * clock.roll() + 0.01
        if self._unstarted:
            return 0.0
        if self._dispatcher.has_endings:
            return max(0.0, self._cycled + _LINGER - clock.monotonic()) if self._dispatcher.has_plenty else 0.0
        oldest = self._dispatcher.oldest_unmarked()
        if oldest is not None:
            return min(max(0.0, oldest + _MARK_BEFORE - clock.monotonic()), _POLL)
        return _POLL

    def tick(self) -> None:
        """One round: at most one cycle. A store that is away leaves everything as it was, for the next round."""
        now = clock.monotonic()
        if self._may_linger(now):
            return
        if self._has_news or now - self._polled >= _POLL:
            self._has_news = False
            self._polled = now
            self._room.look_everywhere()
        self._hand_back_stale(now)
        ended = self._unsent + self._dispatcher.take_endings()
        marked = self._runs_to_mark(now)
        rooms = self._rooms(now)
        if not (ended or marked or rooms):
            self._note_idleness()
            return
        self._unsent = ended
        cycled = self._cycle(ended, marked, rooms, now)
        self._cycled = clock.monotonic()
        if cycled is None:
            return
        self._unsent = []
        self._note_refused(ended, cycled)
        self._start_marked(marked, cycled)
        self._take_in(cycled.claimed)
        self._room.learn(rooms, cycled.claimed)
        if ended:
            self._session.announce_endings()
        if cycled.claimed:
            self.wake.set()
        self._note_idleness()

    def _note_idleness(self) -> None:
        self.is_idle = not self._dispatcher.is_busy and not self.owes

    def _may_linger(self, now: float) -> bool:
        """While the executors have enough to do, endings gather for a moment and share a commit."""
        return self._dispatcher.has_plenty and now - self._cycled < _LINGER and not (self._unsent or self._unstarted)

    def _rooms(self, now: float) -> list[tuple[str, int]]:
        if not self.may_claim:
            return []
        return self._room.deal(in_flight=self._dispatcher.in_flight + len(self._unstarted), now=now)

    def _cycle(self, ended: list[Ended], marked: list[Run], rooms: list[tuple[str, int]], now: float) -> Cycled | None:
        claimant = Claimant(self._worker, self._lease(), self._token())
        endings = [ending for ending, _ in ended]
        marks = [Mark(run.job.seq, run.job.fence, round((now - (run.started or now)) * 1000)) for run in marked]
        try:
            cycled = self._repeated(claimant, endings, marks, rooms)
        except DataRefused as error:
            log.warning("the store refused a batch of %s endings; writing them one by one: %s", len(endings), error)
            self._write_one_by_one(ended)
            return None
        except StoreUnavailable as error:
            self._failures = min(self._failures + 1, 10)
            log.warning("store unavailable, trying again: %s", error)
            return None
        self._failures = 0
        return cycled

    def _repeated(
        self, claimant: Claimant, endings: list[Ending], marks: list[Mark], rooms: list[tuple[str, int]]
    ) -> Cycled:
        try:
            return self._session.run(cycle(claimant, endings=endings, marks=marks, rooms=rooms))
        except OutcomeUnknown:
            # The answer was lost. The same token without rooms re-reads what the first try took, if it took.
            return self._session.run(cycle(claimant, endings=endings, marks=marks))

    def _write_one_by_one(self, ended: list[Ended]) -> None:
        """One bad ending must not fail the batch: the offender's job fails with a reason that can be stored."""
        rest = list(ended)
        while rest:
            ending, job = rest[0]
            try:
                self._session.run(finish([ending], worker=self._worker))
            except DataRefused as error:
                log.error("job %s: its ending cannot be stored: %s", job.id, error)
                rest[0] = (self._attempts.of_refused_data(ending, job, error), job)
                if rest[0][0].reason == ending.reason == "result":
                    log.critical("job %s: not even its failure can be stored; leaving it to rescue", job.id)
                    rest.pop(0)
                continue
            except StoreUnavailable as error:
                log.warning("store unavailable, trying again: %s", error)
                self._failures += 1
                break
            rest.pop(0)
        self._unsent = rest

    def _runs_to_mark(self, now: float) -> list[Run]:
        return self._unstarted + self._dispatcher.unmarked(running_since=now - _MARK_AFTER)

    def _start_marked(self, marked: list[Run], cycled: Cycled) -> None:
        for run in marked:
            run.is_marked = True
        starting, self._unstarted = self._unstarted, []
        held = [run for run in starting if run.job.seq in cycled.marked]
        if held:
            self._dispatcher.offer(held)

    def _take_in(self, claimed: Sequence[Claimed]) -> None:
        ready: list[Run] = []
        unknown: list[Ended] = []
        now = clock.monotonic()
        for job in claimed:
            task = self._registry.find(job.task)
            if task is None:
                unknown.append((self._attempts.of_unknown_task(job), job))
                continue
            run = Run(job, task, claimed=now, report=self._report)
            if run.is_last_attempt:
                self._unstarted.append(run)
            else:
                ready.append(run)
        if ready:
            self._dispatcher.offer(ready)
        if unknown:
            self._dispatcher.add_endings(unknown)

    def _note_refused(self, ended: list[Ended], cycled: Cycled) -> None:
        for _, job in ended if cycled.refused else ():
            if job.seq in cycled.refused:
                self.refused_count += 1
                log.warning("job %s: another owner has it; our ending under fence %s was refused", job.id, job.fence)

    def _hand_back_stale(self, now: float) -> None:
        """What was fetched ahead but does not get its turn goes back, uncharged, for others to run."""
        stale = self._dispatcher.take_buffered(claimed_before=now - _HAND_BACK_AFTER)
        if stale:
            self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in stale])

    def hand_back_unstarted(self) -> None:
        """Return everything that has not started, for a worker that stops."""
        unstarted = self._dispatcher.remove_buffered(lambda run: True) + self._unstarted
        self._unstarted = []
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in unstarted])
