"""A store in plain dictionaries: what the real ones must answer.

Written from the rules, on the same table of transitions and the same ``decide``, and not from any store's statements.
Its operations have the names and the answers of those in ``windlass.store``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from tests.model.parts.flows import FlowModel
from tests.model.parts.keys import KeyModel, in_order_of_age
from tests.model.parts.limits import LimitModel
from tests.model.parts.schedules import ScheduleModel
from tests.model.parts.steps import StepModel
from tests.model.parts.task_rates import TaskRateModel
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Attempt, Attempts, Fault, read_attempts
from windlass.core.outcome import Blame, Lost
from windlass.core.records import Claimed, JobRecord
from windlass.core.retry import Retry
from windlass.core.state import DUE_LATER, FINISHED, WAITING, State, Verb, allowed_from, is_legal
from windlass.core.suspect import fatal_run, has_to_run_alone, is_fresh, watched_for
from windlass.errors import ConfigError, IdConflict, JobNotFound, QueueFull
from windlass.store.operations.cycle import Claimant, CycleResult, LimitState, StartMark
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.flows.groups import NewGroup, NewMember
from windlass.store.operations.jobs import Retried
from windlass.store.operations.leases import Renewed, WorkerReport
from windlass.store.operations.queries import NextDue
from windlass.store.operations.queues import ALL
from windlass.store.operations.rescue import SEVERAL, Rescued

DAY = 86_400_000
_COUNTED = ("attempt", "crashes", "rescues")
_BLANK: dict[str, Any] = dict.fromkeys(JobRecord.__struct_fields__) | dict.fromkeys((*_COUNTED, "fence"), 0)
Event = tuple[int, str, str | None, int | None]  # when, what, which worker, under which fence


@dataclass(slots=True)
class Lease:
    """A right to jobs. Time makes it rescuable; only a rescue ends it."""

    ttl: int
    renewed_at: int
    is_open: bool = True
    blamed: int | None = None
    """The job that is held responsible for its loss."""


class Key(NamedTuple):
    """Which job holds a unique key, and until when."""

    seq: int
    until: str
    expires_at: int | None


class Placed(NamedTuple):
    """What became of one job of an enqueue."""

    id: str
    is_duplicate: bool = False
    is_replaced: bool = False


class Loss(NamedTuple):
    """What a rescuer decided about one job of a lease, from what it saw."""

    lease: str
    ending: Ending
    was_started: bool
    culprit: int | None


class Model(ScheduleModel, KeyModel, LimitModel, TaskRateModel, FlowModel, StepModel):
    """What a store knows. ``now`` is the store's clock, in milliseconds."""

    def __init__(self, *, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.jobs: dict[int, JobRecord] = {}
        self.keys: dict[str, Key] = {}
        self.events: defaultdict[int, list[Event]] = defaultdict(list)
        self.last_seq = 0
        self._tokens: dict[int, str] = {}
        self._leases: dict[str, Lease] = {}
        self._limits: dict[str, int | None] = {}
        self.running_limits: dict[str, int] = {}
        self._paused: set[str] = set()
        self.losses: list[Loss] = []
        self._last_before = 0
        """The newest job before the enqueue that is under way."""

    def enqueue(
        self,
        jobs: Sequence[NewJob],
        namings: dict[int, Uniqueness],
        edges: Sequence[NewEdge] = (),
        *,
        groups: Sequence[NewGroup] = (),
        members: Sequence[NewMember] = (),
        added: Sequence[NewMember] = (),
    ) -> list[Enqueued]:
        named = {jobs[index].id: jobs[index] for index, naming in namings.items() if naming.has_own_id}
        if any(not _is_same(job, named.get(job.id, job)) for job in jobs):
            raise IdConflict("one id for two different jobs of the call")
        there = {job.id for job in self.jobs.values()}
        if not {edge.parent for edge in edges} <= there | {job.id for job in jobs}:
            raise JobNotFound("a parent is not there")
        if any(not self.takes_members(one.callback) and one.member not in there for one in added):
            raise ConfigError("a group waits for no member any more")
        before = dict(self.jobs), dict(self.keys), self.last_seq
        self._last_before = self.last_seq
        placed: dict[int, Placed] = {}
        try:
            for index in _in_order_of_keys(jobs, namings):
                is_first = all(jobs[other].unique_key != jobs[index].unique_key for other in placed)
                placed[index] = self._place(jobs[index], namings.get(index), is_first=is_first)
            self._check_room(self.jobs[seq].queue for seq in self.jobs if seq > before[2])
        except (IdConflict, QueueFull):
            self.jobs, self.keys, self.last_seq = before
            raise
        fresh = [group for group in groups if group.callback not in there]
        self.join(added)
        self.tie([edge for edge in edges if edge.child not in there], fresh, members)
        for one in placed.values():
            if one.is_replaced:
                self._note_replaced(one.id)
        return [
            Enqueued(
                placed[index].id,
                self._told_state(job, placed[index].id, is_named=index in namings),
                placed[index].is_duplicate,
                placed[index].is_replaced,
            )
            for index, job in enumerate(jobs)
        ]

    def _note_replaced(self, id: str) -> None:
        """One event for each job, however often it is replaced."""
        seq = next(job.seq for job in self.jobs.values() if job.id == id)
        events = self.events[seq]
        places = [place for place, event in enumerate(events) if event[1] == "replaced"]
        new: Event = (self._now(), "replaced", None, None)
        if places:
            events[places[0]] = new
        else:
            events.append(new)

    def _place(self, job: NewJob, naming: Uniqueness | None, *, is_first: bool) -> Placed:
        """The id of the job that stands for this one, whether it was there before, and whether it was replaced."""
        known = next((known for known in self.jobs.values() if known.id == job.id), None)
        if naming and known and not _is_same(job, known):
            raise IdConflict(job.id)
        self._forget_if_over(job.unique_key)
        holder = known or self.holder(job.unique_key)
        if holder is None:
            self._store(job, naming or Uniqueness())
            return Placed(job.id)
        is_replaced = is_first and not known and naming is not None and self._replace(holder, job, naming)
        return Placed(holder.id, naming is not None, is_replaced)

    def _replace(self, old: JobRecord, new: NewJob, naming: Uniqueness) -> bool:
        """A job that waits for its first attempt takes the arguments of another, and for ``postpone`` its time."""
        is_next, now = old.seq in self.promised, self._now()
        waits = old.state in (State.PENDING, State.SCHEDULED, State.BLOCKED) and old.reason != "parents"
        is_fresh_job = waits and old.attempt == 0 and old.seq not in self.steps and old.seq <= self._last_before
        if not naming.replaces or not is_fresh_job or old.task != new.task:
            return False
        if is_next and old.concurrency_key != new.concurrency_key:
            return False
        state = State.SCHEDULED if old.state is State.SCHEDULED else State.PENDING
        run_at = old.run_at
        if naming.on_conflict == "postpone" and not is_next:
            due = now + new.delay if new.at is None else new.at
            if naming.max_wait is not None:
                due = min(due, max(old.created_at + naming.max_wait, old.run_at))
            state = self._state_until(due)
            run_at = due if due > now else now if old.state is State.SCHEDULED else old.run_at
        is_moved = old.start_by is not None and run_at != old.run_at
        self.jobs[old.seq] = replace(
            old,
            payload=new.payload,
            state=state,
            run_at=run_at,
            reason=None if old.state is State.BLOCKED else old.reason,
            concurrency_key=new.concurrency_key,
            rate_key=new.rate_key,
            start_by=run_at + (old.expires or 0) if is_moved else old.start_by,
        )
        return True

    @property
    def has_limits(self) -> bool:
        """Whether a queue may be full."""
        return any(limit is not None for limit in self._limits.values())

    def _check_room(self, queues: Iterable[str]) -> None:
        for queue in set(queues):
            if not self.has_room(queue, 0):
                raise QueueFull(queue)

    def has_room(self, queue: str, added: int = 1) -> bool:
        """Whether a queue has room for so many more."""
        counts, limit = self.counts().get(queue, Counter()), self._limits.get(queue)
        return limit is None or sum(counts[state] for state in WAITING) + added <= limit

    def _forget_if_over(self, key: str | None) -> None:
        # For good: a clock that steps back does not return the key to its former holder.
        if key in self.keys and not self.holder(key):
            del self.keys[key]

    def _store(self, job: NewJob, naming: Uniqueness) -> None:
        now = self._now()
        asked = now + job.delay if job.at is None else job.at
        due = max(now, asked)
        self.last_seq += 1
        own = {"seq": self.last_seq, "state": self._state_until(due), "run_at": due, "created_at": now}
        own["start_by"] = None if job.expires is None else asked + job.expires
        if job.after:
            own |= {"state": State.BLOCKED, "reason": "parents"}
        self.jobs[self.last_seq] = JobRecord(**(_BLANK | _shared(job, JobRecord) | own))
        if job.unique_key is not None:
            expires_at = None if naming.window is None else now + naming.window
            self.keys[job.unique_key] = Key(self.last_seq, naming.until, expires_at)

    def _told_state(self, job: NewJob, id: str, *, is_named: bool) -> State:
        """A job without a name or an instant is not looked up: the caller knows what becomes of it."""
        if is_named or job.at is not None or job.after:
            return next(found.state for found in self.jobs.values() if found.id == id)
        return self._state_until(self._now() + job.delay)

    def cycle(
        self,
        claimant: Claimant,
        *,
        endings: Sequence[Ending] = (),
        marks: Sequence[StartMark] = (),
        requests: Sequence[tuple[str, int]] = (),
        takes_suspect: bool = False,
    ) -> CycleResult:
        unwritten = [ending for ending in endings if not self._end(ending, Verb.FINISH)]
        refused = {ending.seq for ending in unwritten if self._refuse(ending.seq, ending.fence, claimant.worker)}
        self.let_go()
        marked = {mark.seq for mark in marks if self._mark(mark)}
        if self.is_in_time(claimant.lease):
            self._take_requested(claimant, requests, takes_suspect=takes_suspect)
        for queue, _ in requests:
            self.ask_bucket(queue)
        claimed = [self._claimed(job) for job in self._taken(claimant.token, claimant.lease)]
        rates = [self.rate_state(queue) for queue, _ in requests if queue in self.buckets]
        return CycleResult(claimed, refused, marked, self._limit_states([queue for queue, _ in requests]), rates=rates)

    def _limit_states(self, asked: Sequence[str]) -> list[LimitState]:
        """The limits on running jobs that a claim of these queues meets."""
        names = sorted(name for name in self.running_limits if asked and name in (ALL, *asked))
        return [LimitState(name, self.running_limits[name], self._number_running(name)) for name in names]

    def _number_running(self, name: str) -> int:
        return sum(name in (ALL, job.queue) for job in self._running())

    def _take_requested(self, claimant: Claimant, requests: Sequence[tuple[str, int]], *, takes_suspect: bool) -> None:
        """At most one suspect, and then the others, queue by queue."""
        asked = [queue for queue, number in requests if takes_suspect and number]
        suspect = next((job for queue in asked for job in self._next_suspect(queue)), None)
        if suspect:
            self._take(suspect, claimant)
        for queue, number in requests:
            left = number - (suspect is not None and suspect.queue == queue)
            others = [job for job in self._ready(queue) if not _is_suspect(job)]
            for job in self._not_blocked(others, self.room(queue, left)):
                self._take(job, claimant)

    def _not_blocked(self, jobs: Iterable[JobRecord], room: int) -> Iterator[JobRecord]:
        """The first of these jobs, each to be taken at once; those before them whose key others hold are blocked."""
        for job in jobs:
            if room == 0:
                return
            if not self.block_if_out(job) and not self.block_if_full(job):
                room -= 1
                yield job

    def room(self, queue: str, number: int) -> int:
        """How many of so many the limits on running jobs, and the queue's rate, leave."""
        limits = [(name, most) for name, most in self.running_limits.items() if name in (queue, ALL)]
        left = [most - self._number_running(name) for name, most in limits]
        tokens = self.tokens(queue)
        return max(0, min([number, *left, number if tokens is None else tokens]))

    def claim(self, limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int) -> list[Claimed]:
        for queue in queues:
            room = self.room(queue, limit - len(self._taken(token)))
            for job in self._not_blocked(in_order_of_age(self._ready(queue)), room):
                lease = f"{token}:{job.seq}:{job.fence + 1}"
                self._leases[lease] = Lease(ttl, self._now())
                self._take(job, Claimant(worker, lease, token))
            self.ask_bucket(queue)
        return [self._claimed(job) for job in self._taken(token)][:limit]

    def pending(self, queue: str) -> list[JobRecord]:
        """What waits to be claimed, in the order in which it will be."""
        return _in_claim_order(job for job in self.jobs.values() if (job.queue, job.state) == (queue, State.PENDING))

    def _ready(self, queue: str) -> list[JobRecord]:
        is_shut = self._paused & {queue, ALL} or self.cooling("queue", queue) or not self.room(queue, 1)
        return [] if is_shut else self.pending(queue)

    def _next_suspect(self, queue: str) -> list[JobRecord]:
        """The suspect that may be taken now: none before a job of a higher priority."""
        for job in self._ready(queue):
            if not _is_suspect(job):
                return []
            if not self.block_if_full(job):
                return [job]
        return []

    def _take(self, job: JobRecord, claimant: Claimant) -> None:
        owner = {"lease": claimant.lease, "worker": claimant.worker, "fence": job.fence + 1}
        times = {"claimed_at": self._now(), "started_at": self._now() if _is_manual(claimant.lease) else None}
        self._move(job, Verb.CLAIM, State.RUNNING, attempt=job.attempt + _is_manual(claimant.lease), **owner, **times)
        self._tokens[job.seq] = claimant.token
        self.spend(job.queue)
        self.spend_by_key(job)

    def _taken(self, token: str, lease: str | None = None) -> list[JobRecord]:
        """What one call took and still holds: under a worker's lease, or (without one) by hand."""
        taken = [job for job in self._running() if self._tokens[job.seq] == token]
        return in_order_of_age(job for job in taken if job.lease == lease or (lease is None and _is_manual(job.lease)))

    def _claimed(self, job: JobRecord) -> Claimed:
        return Claimed(
            **_shared(job, Claimed) | {"payload": self.filled_payload(job)},
            wants_cancel=job.cancel_requested_at is not None,
            unknown_for=None if job.unknown_at is None else self._now() - job.unknown_at,
            expires_in=None if job.start_by is None else job.start_by - self._now(),
            waited=max(0, (job.claimed_at or self._now()) - job.run_at),
            is_charged=_is_manual(job.lease),
        )

    def _end(self, ending: Ending, verb: Verb) -> bool:
        job = self.owned(ending.seq, ending.fence)
        if job is None:
            return False
        is_cancelled = job.cancel_requested_at is not None and ending.state is not State.COMPLETED
        state = State.CANCELLED if is_cancelled else ending.state
        started_at = self._started_at(job, ending)
        self._move(
            job,
            verb,
            state,
            reason=None if is_cancelled else ending.reason,
            attempt=job.attempt + ending.charge,
            crashes=job.crashes + ending.crash,
            rescues=job.rescues + ending.rescue,
            errors=ending.errors or job.errors,
            cause=ending.cause if ending.state is State.FAILED and not is_cancelled else None,
            lease=None,
            attempts=self._attempts_after(job, ending, verb, is_cancelled=is_cancelled),
            start_by=job.start_by if started_at is None or state in FINISHED else None,
            **({"fence": job.fence + 1} if verb is Verb.RESCUE else self._told_by_owner(job, ending)),
        )
        self.return_to_line(self.jobs[job.seq])
        if _has_begun(self.jobs[job.seq]):
            self._release_key(job, "started")
        return True

    def _started_at(self, job: JobRecord, ending: Ending) -> int | None:
        if job.started_at is None and ending.ran_for is not None:
            return self._now() - ending.ran_for
        return job.started_at

    def _attempts_after(self, job: JobRecord, ending: Ending, verb: Verb, *, is_cancelled: bool) -> str | None:
        """Every run that began and did not complete its job, and every claim that was lost."""
        is_lost, started_at = verb is Verb.RESCUE, self._started_at(job, ending)
        if ending.state is State.COMPLETED or (started_at is None and not is_lost):
            return job.attempts
        number = job.attempt + (not _is_manual(job.lease))
        outcome = "lost" if is_lost else "cancelled" if is_cancelled else str(ending.state)
        times = job.claimed_at, started_at, self._now()
        why = (None, None) if is_cancelled else (ending.reason, ending.delay)
        past = read_attempts(job.attempts)
        first, *rest = *past.attempts, Attempt(job.fence, number, *times, job.worker, outcome, *why)
        kept = rest[-19:]
        return attempts_text(Attempts(past.left_out + len(rest) - len(kept), (first, *kept)))

    def _told_by_owner(self, job: JobRecord, ending: Ending) -> dict[str, Any]:
        now = self._now()
        told: dict[str, Any] = {"result": ending.result, "unknown_at": None}
        if ending.delay is not None:
            told["run_at"] = now + ending.delay
        told["started_at"] = self._started_at(job, ending)
        if ending.reason == "unknown_task":
            told["unknown_at"] = now if job.unknown_at is None else job.unknown_at
        return told

    def _mark(self, mark: StartMark) -> bool:
        job = self.owned(mark.seq, mark.fence)
        if job and job.started_at is None:
            self.jobs[job.seq] = replace(job, started_at=self._now() - mark.ago)
        return job is not None

    def _refuse(self, seq: int, fence: int, worker: str) -> bool:
        """False if the job still carries the fence: an earlier try of the same write has ended it."""
        job = self.jobs.get(seq)
        if job and job.fence != fence:
            self._note(job, "refused", worker, fence)
        return not (job and job.fence == fence)

    def extend(self, seq: int, fence: int, *, ttl: int, worker: str) -> bool:
        job = self.owned(seq, fence)
        if job and job.lease and _is_manual(job.lease):
            self._leases[job.lease] = Lease(ttl, self._now())
            return True
        self._refuse(seq, fence, worker)
        return False

    def progress(self, seq: int, fence: int, text: str, *, worker: str) -> bool:
        job = self.owned(seq, fence)
        if job:
            self.jobs[seq] = replace(job, progress=text)
            return True
        self._refuse(seq, fence, worker)
        return False

    def promote(self) -> int:
        woken = self.wake()
        for job in [job for job in self._expiring() if (job.start_by or 0) <= self._now()]:
            self._move(job, Verb.EXPIRE, State.CANCELLED, reason="expired")
        due = [job for job in self.jobs.values() if job.state in DUE_LATER and job.run_at <= self._now()]
        for job in due:
            self._move(job, Verb.PROMOTE, State.PENDING, promoted_at=self._now())
        self.let_go()
        return len(due) + woken + self.open_rates()

    def let_go(self) -> None:
        """Whatever a call has done, what waited for it goes on."""
        self.unblock()
        self.settle()

    def _expiring(self) -> list[JobRecord]:
        """What waits and has to start in time."""
        waiting = [job for job in self.jobs.values() if job.state in allowed_from(Verb.EXPIRE)]
        return [job for job in waiting if job.start_by is not None]

    def look_for_expired(self) -> None:
        """The first half of a rescue: finds what runs under no open lease in time, and decides."""
        running = self._running()
        over = [job for job in running if not self.is_in_time(job.lease)]
        self.losses = [self._after_loss(job, [other for other in over if other.lease == job.lease]) for job in over]

    def _after_loss(self, job: JobRecord, held_together: list[JobRecord]) -> Loss:
        held, lease = self._claimed(job), self._leases.get(job.lease or "")
        over_at = lease.renewed_at + lease.ttl if lease else self._now()
        ran_for = None if job.started_at is None else max(0, over_at - job.started_at)
        fault = Fault(
            self._now(),
            job.attempt + (not held.is_charged),
            job.worker or "",
            "windlass.LeaseLost",
            "",
            ran_for=ran_for,
        )
        known, watched = lease.blamed if lease else None, self._watched(held_together)
        culprit = known
        if known is None and watched:
            culprit = next(iter(watched)) if len(watched) == 1 else SEVERAL
        if culprit is None:
            blame = Blame.SHARED
        elif culprit == SEVERAL and job.seq in watched:
            blame = Blame.SUSPECTED if has_to_run_alone(held) and is_fresh(watched[job.seq]) else Blame.JOINT
        elif culprit != job.seq:
            blame = Blame.OTHER
        else:
            others = [other for other in held_together if other.seq != job.seq]
            has_company = any(other.started_at is not None or not _is_suspect(other) for other in others)
            blame = Blame.SUSPECTED if has_company or known is not None else Blame.OWN
        ending = decide(held, Lost(job.started_at is not None, fault, blame), retry=Retry())
        return Loss(job.lease or "", ending, job.started_at is not None, culprit)

    def _watched(self, held_together: list[JobRecord]) -> dict[int, int]:
        """The suspects that had begun and have not run for longer than they are watched, with how long they ran."""
        found = {}
        for job in held_together:
            lease = self._leases.get(job.lease or "")
            if job.started_at is not None and _is_suspect(job) and not _is_manual(job.lease):
                ran_for = (lease.renewed_at if lease else 0) - job.started_at
                if ran_for <= watched_for(fatal_run(job.errors)):
                    found[job.seq] = ran_for
        return found

    def free(self) -> list[Rescued]:
        """The second half; what was renewed or ended since the look is left alone."""
        losses, self.losses = self.losses, []
        for lease, _, _, culprit in losses:
            if lease in self._leases and not self.is_in_time(lease):
                self._leases[lease].is_open = False
                if self._leases[lease].blamed is None:
                    self._leases[lease].blamed = culprit
        rescued = []
        for lease, ending, was_started, _ in losses:
            job = self.owned(ending.seq, ending.fence)
            if job and not self._is_open(lease) and was_started == (job.started_at is not None):
                self._note(job, "rescued", job.worker, job.fence)
                self._end(ending, Verb.RESCUE)
                state = self.jobs[job.seq].state
                rescued.append(Rescued(job.id, State.PENDING if state is State.BLOCKED else state))
        self.let_go()
        return sorted(rescued, key=lambda one: one.id)

    def cancel(self, seqs: Sequence[int]) -> dict[int, State]:
        changed = {}
        for job in self._found(seqs, Verb.CANCEL):
            if job.state is not State.RUNNING:
                self._note(job, "cancelled", job.worker, job.fence)
                self._move(job, Verb.CANCEL, State.CANCELLED, reason=None, cancel_requested_at=self._now())
                changed[job.seq] = State.CANCELLED
            elif job.cancel_requested_at is None:
                self._note(job, "cancel_requested", job.worker, job.fence)
                self._move(job, Verb.CANCEL, State.RUNNING, cancel_requested_at=self._now())
                changed[job.seq] = State.RUNNING
        self.let_go()
        return changed

    def retry(self, seqs: Sequence[int], *, queue: str | None = None) -> Retried:
        found = self._found(seqs, Verb.RETRY)
        # There is no way round a key or a rate.
        may_go = [job for job in found if job.state is not State.BLOCKED or job.reason == "parents"]
        holders = {job.seq: self.holder(job.unique_key) for job in may_go}
        taken = {seq: holder.id for seq, holder in holders.items() if holder and holder.seq != seq}
        retried = [seq for seq in holders if seq not in taken]
        for job in map(self.jobs.__getitem__, retried):
            self._note(job, "retried", None, job.fence)
            forgotten = ("reason", "cancel_requested_at", "unknown_at", "result", "progress", "cause")
            fresh: dict[str, Any] = dict.fromkeys(forgotten)
            place = {"queue": queue or job.queue, "run_at": self._now()}
            has_begun = job.start_by is None or job.started_at is not None
            fresh["start_by"] = None if has_begun else self._now() + (job.expires or 0)
            self._move(job, Verb.RETRY, State.PENDING, **fresh, **dict.fromkeys(_COUNTED, 0), **place)
        self.take_back(retried)
        return Retried(retried, taken)

    def reschedule(self, seq: int, *, delay: int = 0, at: int | None = None) -> bool:
        due = max(self._now(), self._now() + delay if at is None else at)
        found = self._found([seq], Verb.RESCHEDULE)
        for job in found:
            is_still_ready = job.state is self._state_until(due) is State.PENDING
            times = {} if is_still_ready else {"run_at": due}
            if times and job.start_by is not None:
                times["start_by"] = due + (job.expires or 0)
            is_promised = is_still_ready and job.seq in self.promised
            self._move(job, Verb.RESCHEDULE, self._state_until(due), **times)
            if is_promised:
                self.promised.add(job.seq)
        self.let_go()
        return bool(found)

    def _state_until(self, due: int) -> State:
        return State.SCHEDULED if due > self._now() else State.PENDING

    def delete(self, jobs: Sequence[tuple[int, str]]) -> list[int]:
        deleted = [job.seq for job in self._found([seq for seq, _ in jobs], Verb.DELETE)]
        for seq in deleted:
            del self.jobs[seq]
            self.events.pop(seq, None)
            self.forget_edges(seq)
            self.steps.pop(seq, None)
        self.keys = {name: key for name, key in self.keys.items() if key.seq not in deleted}
        self.promised -= set(deleted)
        self.let_go()
        return deleted

    def open_lease(self, presence: WorkerReport, *, lease: str, ttl: int) -> None:
        self._leases.setdefault(lease, Lease(ttl, self._now()))

    def renew(self, presence: WorkerReport, *, lease: str) -> Renewed:
        if self._is_open(lease):
            self._leases[lease].renewed_at = self._now()
        held = frozenset((job.seq, job.fence) for job in self._running() if job.lease == lease)
        return Renewed(self._is_open(lease), held)

    def upcoming(self) -> NextDue:
        """In how long promote and rescue have something to do."""
        due = [job.run_at - self._now() for job in self.jobs.values() if job.state in DUE_LATER]
        leases = [self._leases[job.lease or ""] if self.is_in_time(job.lease) else None for job in self._running()]
        left = [lease.renewed_at + lease.ttl - self._now() if lease else 0 for lease in leases]
        live = [id for id in self._leases if ":" not in id and self._is_open(id) and self.is_in_time(id)]
        return NextDue(
            min(due, default=None),
            min(left, default=None),
            self._now(),
            len(live),
            min(live, default=None),
            has_work=any(self._ready(queue) for queue in {job.queue for job in self.jobs.values()}),
            is_lead_free=not self.is_led,
            next_end=min(((job.start_by or 0) - self._now() for job in self._expiring()), default=None),
            has_events=self.has_waits_to_look_at,
            peers=len(live),
        )

    def close_lease(self, *, worker: str, lease: str) -> None:
        self._leases.pop(lease, None)

    def pause(self, name: str, *, is_paused: bool) -> None:
        self._paused = self._paused | {name} if is_paused else self._paused - {name}

    def limit(self, name: str, *, max_length: int | None) -> None:
        self._limits[name] = max_length

    def limit_running(self, name: str, *, max_running: int | None) -> None:
        self.running_limits.pop(name, None)
        if max_running is not None:
            self.running_limits[name] = max_running

    def tidy(self) -> None:
        yesterday, held = self._now() - DAY, {job.lease for job in self._running()}
        self.keys = {name: key for name, key in self.keys.items() if not self._is_over(key)}
        self.forget_unused()
        self.forget_sent()
        self._leases = {i: one for i, one in self._leases.items() if i in held or one.renewed_at + one.ttl >= yesterday}

    def counts(self) -> dict[str, Counter[State]]:
        queues = {job.queue for job in self.jobs.values()}
        return {name: Counter(job.state for job in self.jobs.values() if job.queue == name) for name in queues}

    def holder(self, key: str | None) -> JobRecord | None:
        """The job that holds a unique key now."""
        held = self.keys.get(key or "")
        if held is None or self._is_over(held):
            return None
        job = self.jobs[held.seq]
        # Whether user code has begun is known only later; until then the key counts as given up.
        return None if held.until == "started" and job.state is State.RUNNING else job

    def _is_over(self, key: Key) -> bool:
        return key.expires_at is not None and key.expires_at <= self._now()

    def is_in_time(self, lease: str | None) -> bool:
        """Whether a lease is open, and the time is within its length of the last renewal, on either side."""
        found = self._leases.get(lease or "")
        return bool(found and found.is_open and -found.ttl <= self._now() - found.renewed_at < found.ttl)

    def owned(self, seq: int, fence: int) -> JobRecord | None:
        """The job, if it runs under this fence."""
        job = self.jobs.get(seq)
        return job if job and (job.state, job.fence) == (State.RUNNING, fence) else None

    def _is_open(self, lease: str | None) -> bool:
        found = self._leases.get(lease or "")
        return found is not None and found.is_open

    def _running(self) -> list[JobRecord]:
        return [job for job in self.jobs.values() if job.state is State.RUNNING]

    def _found(self, seqs: Sequence[int], verb: Verb) -> list[JobRecord]:
        jobs = [self.jobs[seq] for seq in dict.fromkeys(seqs) if seq in self.jobs]
        return [job for job in jobs if job.state in allowed_from(verb)]

    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None:
        assert is_legal(verb, job.state, state), f"{verb} from {job.state} to {state}"
        if state in FINISHED:
            self._release_key(job, "started", "finished")
        self.promised.discard(job.seq)
        finished_at = self._now() if state in FINISHED else None
        self.jobs[job.seq] = replace(job, state=state, finished_at=finished_at, **changes)

    def _release_key(self, job: JobRecord, *held_until: str) -> None:
        key = self.keys.get(job.unique_key or "")
        if key and key.seq == job.seq and key.until in held_until:
            del self.keys[job.unique_key or ""]

    def _note(self, job: JobRecord, kind: str, worker: str | None, fence: int) -> None:
        self.events[job.seq].append((self._now(), kind, worker, fence))


def attempts_text(attempts: Attempts) -> str:
    """Attempts in one form, whichever a store has."""
    return encode([attempts.left_out, *attempts.attempts]).decode()


def _shared(source: Struct, kind: type[Struct]) -> dict[str, Any]:
    """The fields that a record has in common with another kind."""
    return {name: getattr(source, name) for name in source.__struct_fields__ if name in kind.__struct_fields__}


def _is_same(job: NewJob, other: NewJob | JobRecord) -> bool:
    return (job.task, job.payload) == (other.task, other.payload)


def _in_order_of_keys(jobs: Sequence[NewJob], namings: dict[int, Uniqueness]) -> list[int]:
    """Of those with the same key the one that counts comes first: the first, or the last if they replace."""
    last = {jobs[index].unique_key: index for index in sorted(namings) if namings[index].replaces}
    return sorted(range(len(jobs)), key=lambda index: last.get(jobs[index].unique_key, index) != index)


def _has_begun(job: JobRecord) -> bool:
    return job.attempt > 0 or job.started_at is not None


def _is_manual(lease: str | None) -> bool:
    return lease is not None and ":" in lease


def _is_suspect(job: JobRecord) -> bool:
    return job.crashes + job.rescues > 0


def _in_claim_order(jobs: Iterable[JobRecord]) -> list[JobRecord]:
    """A suspect comes before the others of its priority."""
    return sorted(jobs, key=lambda job: (-job.priority, not _is_suspect(job), job.run_at, job.seq))
