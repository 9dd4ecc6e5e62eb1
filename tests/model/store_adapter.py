"""A real store behind the model's face: the same operations, in the model's numbers.

A store chooses its own seqs (they may have gaps) and the number at which its fences begin, so both are translated on
their way in and on their way out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from tests.model.model import attempts_text
from tests.model.parts.cooldowns import REASON
from tests.model.parts.flows import GroupResult
from tests.model.parts.limits import LimitState
from tests.model.parts.schedules import NEWEST
from tests.model.samples import LEASE
from tests.store.cleaning import tidy
from tests.store.enqueue import add
from windlass.core.ending import Ending
from windlass.core.fault import Attempts, read_attempts
from windlass.core.rates.cooldown import Cooldown
from windlass.core.rates.rate import Rate, write_rate
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import State
from windlass.store.driver import Driver
from windlass.store.operation import Call, Operation, drive
from windlass.store.operations import jobs, leases, queries, queues
from windlass.store.operations.cycle import Claimant, CycleResult, StartMark, cycle
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.flows.groups import NewGroup, NewMember, group_counts, members
from windlass.store.operations.jobs import Retried
from windlass.store.operations.leases import Renewed, WorkerReport
from windlass.store.operations.limits.concurrency import change, declare
from windlass.store.operations.manual_claim import claim, extend
from windlass.store.operations.queries import Filter, NextDue
from windlass.store.operations.queues import ALL, CounterDrift
from windlass.store.operations.rates import cooldowns, limits
from windlass.store.operations.rates.cooldowns import CooldownRecord, Cooling, Scope
from windlass.store.operations.rates.limits import LimitSeed, TakeResult
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.rescue import Rescued, rescue
from windlass.store.operations.schedules.changes import delete, every_schedule, fires, save
from windlass.store.operations.schedules.fire import Due, due, fire
from windlass.store.operations.schedules.records import FireRecord, FireResult, ScheduleRecord
from windlass.store.operations.schedules.steps import Step
from windlass.store.operations.steps import sent_events as sending
from windlass.store.operations.steps import steps as durable
from windlass.store.operations.steps.sent_events import SentEvent, Wait, WaitOutcome
from windlass.store.operations.steps.steps import NewStep, RecordedStep, RunSteps, StepRecord
from windlass.store.operations.upkeep import leader
from windlass.store.operations.upkeep.leader import Lead

A = TypeVar("A")


class Mirror:
    """Drives a store's operations."""

    promoted_at_once = 2
    """Few, so that there are several pages."""

    def __init__(self, driver: Driver, *, now: Callable[[], int]) -> None:
        self._driver = driver
        self._now = now
        self._ids: list[str] = []
        self._theirs: dict[int, int] = {}
        self._ours: dict[int, int] = {}
        self._before_first_fence: int | None = None
        self._calls: dict[str, int] = {}
        """How many calls a cycle took, by its token."""
        self._halfway: tuple[Operation[list[Rescued]], Call] | None = None

    def learn(self, seqs: dict[str, int]) -> None:
        """Take note of new jobs, by id with the model's seq; the store must have numbered each above all before."""
        found = self._run(queries.find(list(seqs)))
        self._ids = list(dict.fromkeys([*self._ids, *seqs]))
        for id, ours in sorted(seqs.items(), key=lambda pair: pair[1]):
            theirs = found[id].seq
            assert theirs > max(self._ours, default=0), f"seq {theirs} was given out twice, or out of order"
            self._theirs[ours], self._ours[theirs] = theirs, ours

    def enqueue(
        self,
        new: Sequence[NewJob],
        namings: dict[int, Uniqueness],
        edges: Sequence[NewEdge] = (),
        *,
        groups: Sequence[NewGroup] = (),
        members: Sequence[NewMember] = (),
        added: Sequence[NewMember] = (),
    ) -> list[Enqueued]:
        if edges or groups or added:
            return self._run(enqueue(new, namings, edges, groups=groups, members=members, added=added))
        return self._run(add(new, namings))

    def cycle(
        self,
        claimant: Claimant,
        *,
        endings: Sequence[Ending] = (),
        marks: Sequence[StartMark] = (),
        requests: Sequence[tuple[str, int]] = (),
        takes_suspect: bool = False,
    ) -> CycleResult:
        sent = [
            replace(ending, seq=self._theirs[ending.seq], fence=self._their_fence(ending.fence)) for ending in endings
        ]
        begun = [replace(mark, seq=self._theirs[mark.seq], fence=self._their_fence(mark.fence)) for mark in marks]
        cycled = self._run(cycle(claimant, endings=sent, marks=begun, requests=requests, takes_suspect=takes_suspect))
        asked = [queue for queue, _ in requests]
        if requests:
            claimed, last = self._claimed_on(claimant, cycled, requests, takes_suspect=takes_suspect)
        else:
            claimed, last = self._claimed_before(claimant, cycled), cycled
        return CycleResult(
            self._claims(claimed),
            self._set(cycled.refused),
            self._set(cycled.marked),
            sorted((one for one in last.limits if asked and one.name in (ALL, *asked)), key=lambda one: one.name),
            rates=[one for one in last.rates if one.name in asked],
        )

    def _claimed_on(
        self, claimant: Claimant, first: CycleResult, requests: Sequence[tuple[str, int]], *, takes_suspect: bool
    ) -> tuple[list[Claimed], CycleResult]:
        """What a worker gets that asks until no job was put aside, as workers do, and the last answer."""
        claimed, last, number = first.claimed, first, 1
        while last.blocked:
            left = [(queue, asked - sum(claim.queue == queue for claim in claimed)) for queue, asked in requests]
            if not any(room for _, room in left):
                break
            number += 1
            takes_one = takes_suspect and not any(claim.crashes + claim.rescues for claim in claimed)
            last = self._run(cycle(_again(claimant, number), requests=left, takes_suspect=takes_one))
            claimed = claimed + last.claimed
        self._calls[claimant.token] = number
        return self._in_order(claimed) if number > 1 else claimed, last

    def _claimed_before(self, claimant: Claimant, first: CycleResult) -> list[Claimed]:
        """What all calls took that asked on after each other."""
        numbers = range(2, 1 + self._calls.get(claimant.token, 1))
        more = [self._run(cycle(_again(claimant, number))).claimed for number in numbers]
        return self._in_order([*first.claimed, *(claim for part in more for claim in part)]) if more else first.claimed

    def _in_order(self, claimed: list[Claimed]) -> list[Claimed]:
        found = self._run(queries.find([claim.id for claim in claimed]))
        return sorted(claimed, key=lambda claim: (-claim.priority, found[claim.id].run_at, claim.seq))

    def claim(self, limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int) -> list[Claimed]:
        return self._claims(self._run(claim(limit, queues=queues, worker=worker, token=token, ttl=ttl)))

    def extend(self, seq: int, fence: int, *, ttl: int, worker: str) -> bool:
        return self._run(extend(self._theirs[seq], self._their_fence(fence), ttl=ttl, worker=worker))

    def progress(self, seq: int, fence: int, text: str, *, worker: str) -> bool:
        return self._run(jobs.progress(self._theirs[seq], self._their_fence(fence), text, worker=worker))

    def promote(self) -> int:
        return self._run(jobs.promote(limit=self.promoted_at_once))

    def look_for_expired(self) -> None:
        """The first half of a rescue; its second half is ``free``."""
        operation = rescue(by="rescuer", now=self._now)
        try:
            self._halfway = (operation, operation.send(self._driver.execute(next(operation))))
        except StopIteration:
            self._halfway = None

    def free(self) -> list[Rescued]:
        if self._halfway is None:
            return []
        (operation, call), self._halfway = self._halfway, None
        try:
            while True:
                call = operation.send(self._driver.execute(call))
                assert call.name == "record_store_events", (
                    f"a rescue of a few jobs frees them in one call, but asked for {call}"
                )
        except StopIteration as stop:
            return _by_id(stop.value)

    def cancel(self, seqs: Sequence[int]) -> dict[int, State]:
        changed = self._run(jobs.cancel([self._theirs[seq] for seq in seqs], by="operator"))
        return {self._ours[seq]: state for seq, state in changed.items()}

    def retry(self, seqs: Sequence[int], *, queue: str | None = None) -> Retried:
        retried = self._run(jobs.retry([self._theirs[seq] for seq in seqs], by="operator", queue=queue))
        taken = {self._ours[seq]: id for seq, id in retried.key_taken.items()}
        return Retried(sorted(self._set(retried.seqs)), taken)

    def reschedule(self, seq: int, *, delay: int | None = None, at: int | None = None) -> bool:
        return self._run(jobs.reschedule(self._theirs[seq], delay=delay, at=at))

    def delete(self, named: Sequence[tuple[int, str]]) -> list[int]:
        return sorted(self._set(self._run(jobs.delete([(self._theirs[seq], id) for seq, id in named]))))

    def open_lease(self, presence: WorkerReport, *, lease: str, ttl: int) -> None:
        self._run(leases.open_lease(presence, lease=lease, ttl=ttl))

    def renew(self, presence: WorkerReport, *, lease: str) -> Renewed:
        renewed = self._run(leases.renew(presence, lease=lease))
        held = frozenset((self._ours[seq], self._our_fence(fence)) for seq, fence in renewed.held)
        return replace(renewed, held=held)

    def upcoming(self) -> NextDue:
        ahead = self._run(queries.next_due())
        # Overdue is overdue, since whenever.
        return replace(ahead, next_expiry=ahead.next_expiry and max(0, ahead.next_expiry))

    def close_lease(self, *, worker: str, lease: str) -> None:
        self._run(leases.close_lease(worker=worker, lease=lease))

    def pause(self, name: str, *, is_paused: bool) -> None:
        self._run(queues.pause(name, by="operator", reason=None, is_paused=is_paused))

    def limit(self, name: str, *, max_length: int | None) -> None:
        self._run(queues.change(name, {"max_length": max_length}, by="operator"))

    def limit_running(self, name: str, *, max_running: int | None) -> None:
        self._run(queues.change(name, {"max_running": max_running}, by="operator"))

    def wrong_counters(self) -> list[CounterDrift]:
        """Those of limits that do not say how many jobs run."""
        return self._run(queues.mend_counters())

    def declare_key_limits(self, declared: Mapping[str, int]) -> None:
        self._run(declare(declared))

    def change_key_limit(self, task: str, limit: int | None) -> None:
        self._run(change(task, limit, by="operator"))

    def declare_rates(self, rates: Mapping[str, Rate]) -> None:
        self._run(declare_rates(rates))

    def set_rate(self, queue: str, rate: Rate | None) -> None:
        self._run(queues.change(queue, {"rate": None if rate is None else write_rate(rate)}, by="operator"))

    def throttle(
        self, scope: Scope, name: str, claim: Claimed, *, rule: Cooldown, chosen: int | None
    ) -> Cooling | None:
        own = replace(claim, seq=self._theirs[claim.seq], fence=self._their_fence(claim.fence))
        return self._run(cooldowns.cool_down(scope, name, own, rule=rule, chosen=chosen, reason=REASON))

    def end_cooldown(self, scope: Scope, name: str) -> bool:
        return self._run(cooldowns.end_cooldown(scope, name))

    def cooldowns(self) -> list[CooldownRecord]:
        return self._run(cooldowns.cooldowns())

    def take_token(self, name: str, *, waiter: str | None) -> TakeResult | None:
        return self._run(limits.take(name, waiter=waiter))

    def leave_line(self, name: str, *, waiter: str) -> None:
        self._run(limits.leave(name, waiter=waiter))

    def drain(self, name: str) -> bool:
        return self._run(limits.drain(name))

    def ensure_limit(self, seed: LimitSeed) -> None:
        self._run(limits.ensure([seed]))

    def change_limit(self, name: str, *, rate: Rate | None, burst: int | None) -> bool:
        return self._run(limits.change(name, rate=rate, burst=burst, by="operator"))

    def remove_limit(self, name: str) -> bool:
        return self._run(limits.remove(name))

    def limit_states(self) -> list[LimitState]:
        found, now = self._run(limits.limits())
        return [LimitState(one.name, one.rate, one.bucket(now).level, one.waiting, one.changed_at) for one in found]

    def take_lead(self, holder: str) -> Lead:
        return self._run(leader.take_lead(leader.LEADER, holder=holder, ttl=LEASE))

    def save_schedules(self, changed: Sequence[ScheduleRecord]) -> set[str]:
        return self._run(save(changed))

    def delete_schedule(self, name: str) -> bool:
        return self._run(delete(name))

    def due_schedules(self) -> Due:
        return self._run(due())

    def fire(self, lead: Lead, steps: Sequence[Step]) -> list[FireResult] | None:
        return self._run(fire(lead, steps))

    def all_schedules(self) -> list[ScheduleRecord]:
        return self._run(every_schedule())

    def ledger(self, name: str) -> list[FireRecord]:
        return self._run(fires(name, limit=NEWEST))

    def record_step(self, seq: int, fence: int, step: NewStep, *, worker: str) -> RecordedStep | None:
        return self._run(durable.record_step(self._theirs[seq], self._their_fence(fence), step, worker=worker))

    def await_event(self, seq: int, fence: int, wait: Wait, *, worker: str) -> WaitOutcome | None:
        return self._run(sending.await_event(self._theirs[seq], self._their_fence(fence), wait, worker=worker))

    def steps_of_run(self, seq: int, fence: int, *, worker: str) -> RunSteps | None:
        found = self._run(durable.steps_of_run(self._theirs[seq], self._their_fence(fence), worker=worker))
        return found and replace(found, steps=self._steps(found.steps))

    def steps_of(self, seq: int) -> list[StepRecord]:
        return self._steps(self._run(durable.steps_of(self._theirs[seq], results=True)))

    def _steps(self, steps: Sequence[StepRecord]) -> list[StepRecord]:
        return [replace(step, fence=self._our_fence(step.fence)) for step in steps]

    def send_event(self, name: str, value: str | None) -> None:
        self._run(sending.send_event(name, value))

    def sent_events(self) -> list[SentEvent]:
        found: list[SentEvent] = []
        while page := self._run(sending.sent_events(len(found))):
            found += page
        return sorted(found, key=lambda event: event.name)

    def group_results(self, seq: int) -> list[GroupResult]:
        """How the members of a group ended, in order, read in pages as its callback does."""
        ids: list[str | None] = []
        after = -1
        while page := self._run(members(self._theirs[seq], after=after, limit=2)):
            ids += [member.id for member in page]
            after = page[-1].place
        there = [id for id in ids if id is not None]
        ended = {one.id: one for one in self._run(queries.awaited(there))} if there else {}
        return [(id, *((ended[id].state, ended[id].result) if id in ended else (None, None))) for id in ids]

    def group_counts(self, seq: int) -> dict[State | None, int]:
        return self._run(group_counts(self._theirs[seq]))

    def states(self, ids: Sequence[str]) -> dict[str, State]:
        """How these jobs are now."""
        return {id: job.state for id, job in self._run(queries.find(ids)).items()}

    def tidy(self) -> None:
        self._run(tidy())

    def counts(self) -> dict[str, dict[State, int]]:
        return self._run(queries.counts())

    def records(self) -> list[JobRecord]:
        """Every job that was ever stored and is still there, the oldest first."""
        found = self._run(queries.find(self._ids))
        return sorted(map(self._record, found.values()), key=lambda job: job.seq)

    def pages(self) -> list[JobRecord]:
        """The same, as the pages have it."""
        found: list[JobRecord] = []
        cursor: int | None = None
        while True:
            page = self._run(queries.page(Filter(), limit=7, cursor=cursor))
            found += page.jobs
            cursor = page.next
            if cursor is None:
                return [self._record(job) for job in reversed(found)]

    def pending(self, queue: str) -> list[JobRecord]:
        return [self._record(job) for job in self._run(queries.peek(queue, limit=100))]

    def events(self, seq: int) -> list[tuple[int, str, str | None, int | None]]:
        story = self._run(queries.history(self._theirs[seq]))
        return [
            (event.at, event.kind, event.worker, None if event.fence is None else self._our_fence(event.fence))
            for event in story.events
        ]

    def _run(self, operation: Operation[A]) -> A:
        return drive(operation, self._driver.execute)

    def _set(self, seqs: Collection[int]) -> set[int]:
        return {self._ours[seq] for seq in seqs}

    def _claims(self, claims: Sequence[Claimed]) -> list[Claimed]:
        return [replace(claim, seq=self._ours[claim.seq], fence=self._our_fence(claim.fence)) for claim in claims]

    def _record(self, job: JobRecord) -> JobRecord:
        return replace(
            job, seq=self._ours[job.seq], fence=self._our_fence(job.fence), attempts=self._attempts(job.attempts)
        )

    def _attempts(self, text: str | None) -> str | None:
        if text is None:
            return None
        found = read_attempts(text)
        attempts = [replace(attempt, fence=self._our_fence(attempt.fence)) for attempt in found.attempts]
        return attempts_text(Attempts(found.left_out, tuple(attempts)))

    def _our_fence(self, fence: int) -> int:
        """The first one that is seen is that of a first claim, which has the number 1 in the model."""
        if fence == 0:
            return 0
        if self._before_first_fence is None:
            self._before_first_fence = fence - 1
        return fence - self._before_first_fence

    def _their_fence(self, fence: int) -> int:
        return fence + (self._before_first_fence or 0) if fence else 0


def _again(claimant: Claimant, number: int) -> Claimant:
    return replace(claimant, token=f"{claimant.token}.{number}")


def _by_id(rescued: list[Rescued]) -> list[Rescued]:
    return sorted(rescued, key=lambda one: one.id)
