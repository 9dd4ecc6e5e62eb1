"""The worker's loop: one cycle with the store at a time."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from windlass import clock
from windlass.client.session import Session
from windlass.core.outcome import Interrupted
from windlass.core.records import Claimed
from windlass.store.driver import DataRejected, Topic
from windlass.store.operations.cycle import CycleResult, StartMark
from windlass.threads.wakeup import Wakeup
from windlass.worker.fetch.batch import Batch, log_cycle
from windlass.worker.fetch.capacity import NOTHING, Capacity
from windlass.worker.fetch.claim_times import ClaimTimes
from windlass.worker.fetch.cycle_client import CycleClient
from windlass.worker.fetch.intake import Intake
from windlass.worker.fetch.unsent_endings import UnsentEndings
from windlass.worker.fetch.written_endings import WrittenEndings
from windlass.worker.notifications.standby import Standby
from windlass.worker.notifications.wake_ups import WakeUps
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.run import Run
from windlass.worker.runs.suspects import SuspectInFlight
from windlass.worker.runs.throttles import Throttles

log = logging.getLogger("windlass.worker")

_LINGER = 0.005
"""Seconds for which endings may gather while more of them are about to come."""
_LONGEST_LINGER = 0.02
"""Seconds that an ending may wait for others when the runs after it turn out to be slow."""
_MARK_AFTER = 0.02
_MARK_BEFORE = 0.08
_RELEASE_AFTER = 1.0
NOTHING_WAITS: Counter[str] = Counter()


class Pump:
    """The loop of one thread. ``tick()`` makes one round; it never sees user code."""

    def __init__(
        self,
        *,
        session: Session,
        attempts: AttemptRules,
        dispatcher: Dispatcher,
        capacity: Capacity,
        cycle_client: CycleClient,
        intake: Intake,
        written: WrittenEndings,
        throttles: Throttles,
        wake: Wakeup,
        standby: Standby,
        is_watched: Callable[[], bool] = lambda: False,
    ) -> None:
        self._session = session
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._capacity = capacity
        self._cycle_client = cycle_client
        self._intake = intake
        self._written = written
        self._throttles = throttles
        self.wake = wake
        self._wake_ups = WakeUps(frozenset(capacity.queues))
        self._standby = standby
        self._claim_times = ClaimTimes(capacity, self._wake_ups, is_watched=is_watched)
        self._unmarked: list[Run] = []
        """Last allowed attempts and suspects: the store must know of each before it starts, but not before it has a
        slot.
        """
        self._suspect = SuspectInFlight(lambda run: run in self._unmarked or dispatcher.has(run))
        self._unsent_endings = UnsentEndings()
        self._is_draining = False
        self._cycled = 0.0
        self._has_suspect = False
        self.may_claim = True
        self.cycle_count = 0
        self.settled_count = 0
        """How many cycles are complete, with the jobs they claimed taken in."""
        self.is_idle = False
        """Whether the last round left nothing to do; never true during a round."""

    @property
    def is_on_standby(self) -> bool:
        """Whether new jobs of other processes are left to other workers."""
        return self._standby.is_on

    @property
    def has_unfinished(self) -> bool:
        """Whether something is still to be written or started."""
        return bool(self._unsent_endings or self._unmarked or self._throttles.is_waiting)

    def holds(self) -> set[tuple[int, int]]:
        """The seq and fence of every job that is on its way to the executors or back to the store."""
        jobs = [run.job for run in self._unmarked] + self._unsent_endings.jobs()
        return {(job.seq, job.fence) for job in jobs} | self._throttles.holds()

    def notified(self, queue: str | None = None) -> None:
        """Jobs may have come, into this queue or into any."""
        self._wake_ups.add(queue)
        self.wake.set()

    def notified_from_elsewhere(self, queue: str | None = None) -> None:
        """Another process has notified of jobs; some other workers got the same notification."""
        if self._wake_ups.add_from_elsewhere(queue):
            self.wake.set()

    def poll_soon(self) -> None:
        """Pending jobs were left unclaimed: check our queues."""
        self._claim_times.poll_soon()
        self.wake.set()

    def drain(self) -> None:
        """Claim no more, for good; the next round releases what has not started. Only the pump can do that: no other
        thread knows what a cycle under way will claim.
        """
        self._is_draining = True
        self._dispatcher.start_no_more()
        self.wake.set()

    def ended(self) -> None:
        """A run has ended, and the executors will soon have nothing left."""
        if not self.wake.is_set():
            self.wake.set()

    def pause(self) -> float:
        """How many seconds the next round may wait."""
        if pause := self._cycle_client.pause:
            return pause
        now = clock.monotonic()
        if self._startable(now):
            return 0.0
        if self._dispatcher.has_endings:
            return max(0.0, self._cycled + _LINGER - now) if self._may_linger(now) else 0.0
        soonest = self._cycled + _LINGER if self._may_linger(now) else now
        at_most = _LONGEST_LINGER if self._dispatcher.buffered else None
        longest = self._claim_times.wait(now, soonest=soonest, at_most=at_most)
        oldest = self._dispatcher.oldest_unmarked(now=now)
        return longest if oldest is None else min(max(0.0, oldest + _MARK_BEFORE - now), longest)

    def tick(self) -> None:
        """One round: at most one cycle. While the store is away everything stays as it is, for the next round."""
        try:
            self._tick()
        finally:
            if not self._cycle_client.has_no_reply:
                self.settled_count = self.cycle_count

    def _tick(self) -> None:
        self.is_idle = False
        now = clock.monotonic()
        if now >= self._standby.draws_at:
            self._standby.draw(now, roll=clock.roll())
        if self._may_linger(now):
            return
        batch = self._collect(now)
        if batch.is_empty and not self._cycle_client.has_no_reply:
            if batch.is_prompted and not self._dispatcher.in_flight:
                self._standby.learn(has_paid=False)
            self._note_idleness()
            return
        self.cycle_count += 1
        result = self._cycle(batch, now)
        self._cycled = clock.monotonic()
        log_cycle(batch, result)
        if result is not None:
            self._apply(batch, result)
        else:
            self._capacity.note_failure(batch.requests)

    def _collect(self, now: float) -> Batch:
        """What the next cycle carries: endings, start marks, and how many jobs to claim from which queue."""
        self._release(claimed_before=now if self._is_draining else now - _RELEASE_AFTER)
        self._unsent_endings.add(self._throttles.settle(self._dispatcher.take_endings()))
        ended = self._unsent_endings.page()
        ended_in = {job.queue for _, job in ended}
        self._capacity.note_endings(ended_in)
        if with_tokens := self._capacity.rates.take_due(now):
            self._capacity.may_have_work(with_tokens)
        starting = self._startable(now)
        marked = starting + self._dispatcher.unmarked(running_since=now - _MARK_AFTER)
        takes_suspect = self._looks_for_suspect(now)
        was_called = self._claim_times.is_poll_wanted
        is_prompted = self._claim_times.take(now, is_going=bool(ended or marked))
        return Batch(
            ended=ended,
            ended_in=ended_in,
            starting=starting,
            marked=marked,
            requests=self._requests(now),
            takes_suspect=takes_suspect,
            is_prompted=is_prompted,
            was_called=was_called,
        )

    def _apply(self, batch: Batch, result: CycleResult) -> None:
        """Act on the result: forget the endings that were accepted, start the runs that were marked or claimed."""
        requests = batch.requests
        ended = self._unsent_endings.accept(batch.ended, has_all_refusals=result.has_all_refusals)
        for run in batch.marked:
            run.is_marked = True
        if batch.starting:
            self._unmarked = [run for run in self._unmarked if run not in batch.starting]
        self._dispatcher.refill_at = self._capacity.refill_at
        self._admit([run for run in batch.starting if run.job.seq in result.marked])
        self._take_in(result.claimed)
        others_may_have_more = self._capacity.note_claimed(requests, result.claimed, result.limits)
        self._capacity.rates.note({name for name, _ in requests}, result.rates, now=self._cycled)
        if result.blocked:
            self._capacity.note_blocked(requests, now=self._cycled)
            others_may_have_more = True
        if result.has_put_off:
            self._session.notify(Topic.WORK)  # promote has to know when there is a token
        if requests and (batch.is_prompted or (batch.was_called and result.claimed)):
            self._learn_from_wake_up(result.claimed, requests)
        self._dispatcher.may_fetch = self._may_fetch
        self._written.add(ended, result.refused)
        if ended and self._capacity.running_limits.has_made_room((job for _, job in ended), result.claimed):
            self._session.notify(Topic.WORK)
        if result.claimed or others_may_have_more or self._unsent_endings:
            self.wake.set()
        self._note_idleness()

    def _learn_from_wake_up(self, claimed: Sequence[Claimed], requests: list[tuple[str, int]]) -> None:
        self._standby.learn(has_paid=bool(claimed))
        if claimed and len(claimed) == sum(count for _, count in requests):
            self._session.notify(Topic.WORK)  # there may be more, and other workers may have checked before

    def _note_idleness(self) -> None:
        self.is_idle = not self._dispatcher.is_busy and not self.has_unfinished

    def _may_linger(self, now: float) -> bool:
        """Endings gather for a moment and share a commit while more of them are about to come: the executors have
        enough to do, or are at their last runs and nothing can be fetched for them.
        """
        is_soon = now - self._cycled < _LINGER
        if not is_soon or self._unsent_endings or self._is_draining:
            return False
        return self._dispatcher.has_plenty or (self._dispatcher.running_count > 0 and not self._may_fetch)

    @property
    def _may_fetch(self) -> bool:
        return self._wake_ups.is_waiting or bool(self._unmarked) or self._capacity.may_find_work

    def _startable(self, now: float) -> list[Run]:
        """Those of the runs that have to be marked first for which there is a slot now."""
        if not self._unmarked:
            return []
        others = self._dispatcher.in_hand()
        return self._dispatcher.startable(
            [run for run in self._unmarked if not self._suspect.has_to_wait(run, others, now)]
        )

    def _looks_for_suspect(self, now: float) -> bool:
        """Whether a suspect may be claimed. When one has ended, queues that seemed empty may have the next."""
        if self._has_suspect and self._suspect.is_none(now):
            self._has_suspect = False
            self._capacity.recheck_all()
        return not self._has_suspect

    def _requests(self, now: float) -> list[tuple[str, int]]:
        self._claim_times.surveys_at = None
        if self._is_draining or self._cycle_client.has_no_reply or not self.may_claim:
            return []
        if self._has_suspect and self._suspect.keeps_others_waiting(now):
            return []
        if self._dispatcher.missing_slots == self._dispatcher.concurrency:
            return []  # nothing can be started
        waiting = NOTHING_WAITS if self._capacity.has_limits else self._waiting_for_child(now)
        taken = self._dispatcher.in_flight + len(self._unmarked) + self._dispatcher.missing_slots
        in_flight = taken - waiting.total()
        if self._capacity.needs_survey and self._capacity.places(
            in_flight=in_flight, now=now, waiting_elsewhere=waiting
        ):
            self._survey(now)
        if self._capacity.has_limits:
            return self._capacity.limited_requests(self._slots_by_queue(), taken=taken, now=now)
        return self._capacity.requests(in_flight=in_flight, waiting_elsewhere=waiting, now=now, own=self._own())

    def _own(self) -> Mapping[str, int]:
        """How many jobs of each queue are here; counted only where workers share limits."""
        return self._slots_by_queue() if self._capacity.running_limits.is_shared else NOTHING

    def _slots_by_queue(self) -> Counter[str]:
        """How many slots each queue has. A job that waits for a child counts: it may start at any moment."""
        return Counter(run.job.queue for run in (*self._dispatcher.in_hand(), *self._unmarked))

    def _survey(self, now: float) -> None:
        """Ask the store which of many queues have work, unless that was done just now."""
        if now < self._capacity.survey_due:
            self._claim_times.surveys_at = self._capacity.survey_due
            return
        found = self._cycle_client.waiting(self._capacity.survey(now))
        if found is not None:
            self._capacity.have_work(found, now=now)

    def _waiting_for_child(self, now: float) -> Counter[str]:
        """By queue: claimed jobs that wait for a child process."""
        waiting = Counter(run.job.queue for run in self._dispatcher.waiting_for_child())
        if self._unmarked:
            startable = self._startable(now)
            isolated = [run for run in self._unmarked if run.task.is_isolated and run not in startable]
            waiting.update(run.job.queue for run in isolated)
        return waiting

    def _cycle(self, batch: Batch, now: float) -> CycleResult | None:
        """Make the cycle; None where the store is away, or has rejected an ending."""
        endings = [ending for ending, _ in batch.ended]
        marks = [
            StartMark(run.job.seq, run.job.fence, round((now - (run.started or now)) * 1000)) for run in batch.marked
        ]
        try:
            result = self._cycle_client.cycle(
                endings, marks, batch.requests, takes_suspect=batch.takes_suspect, ended_in=batch.ended_in
            )
        except DataRejected as error:
            self._write_one_by_one(error)
            return None
        if result is not None and self._cycle_client.was_repeated:
            self.notified()  # it was repeated without claim requests: claim at once
        return result

    def _write_one_by_one(self, error: DataRejected) -> None:
        """One bad ending must not fail the batch."""
        if not self._unsent_endings:
            return
        count = len(self._unsent_endings)
        log.warning("the store rejected a batch of %s endings; writing them one by one: %s", count, error)
        written = list(self._unsent_endings.write_alone(self._cycle_client.write_alone))
        refused = {seq for _, seqs in written for seq in seqs}
        self._written.add([ended for ended, _ in written], refused)

    def _admit(self, runs: list[Run]) -> None:
        """Let runs start; in a worker that stops they wait for the next round instead, which releases them."""
        if self._is_draining:
            self._unmarked += runs
        elif runs:
            self._dispatcher.add(runs)

    def _take_in(self, claimed: Sequence[Claimed]) -> None:
        runs, ended = self._intake.take(claimed, now=clock.monotonic())
        ready: list[Run] = []
        for run in runs:
            if run.is_suspect:
                self._suspect.follow(run)
                self._has_suspect = True
            (self._unmarked if run.has_to_be_marked else ready).append(run)
        self._admit(ready)
        if ended:
            self._dispatcher.add_endings(ended)

    def _may_go_back(self, run: Run) -> bool:
        """False for a suspect that waits to run alone: the others make way for it."""
        return self._is_draining or not self._suspect.is_to_run_alone(run)

    def _release(self, *, claimed_before: float) -> None:
        """Release what does not get its turn, uncharged, for other workers."""
        stale = self._dispatcher.remove_buffered(lambda run: run.claimed <= claimed_before)
        stale += [run for run in self._unmarked if run.claimed <= claimed_before and self._may_go_back(run)]
        if stale:
            self._unmarked = [run for run in self._unmarked if run not in stale]
            # They waited behind runs that took longer than expected; without this the same cycle would claim them
            # again.
            self._capacity.reset_prefetch({run.job.queue for run in stale})
            self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in stale])
