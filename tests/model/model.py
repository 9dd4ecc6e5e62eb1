"""A store in plain dictionaries: what the real ones must answer.

Written from the rules (DESIGN.md, section 3), on the same table of transitions and the same ``decide``, and not from
any store's statements. Its operations have the names and the answers of those in ``windlass.store``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.fault import Fault
from windlass.core.outcome import Lost
from windlass.core.record import Claimed, Expired, JobRecord
from windlass.core.retry import Retry
from windlass.core.state import DUE_LATER, FINISHED, State, Verb, allowed_from, is_legal
from windlass.errors import IdConflict, QueueFull
from windlass.store.jobs import Claimant, Cycled, Enqueued, Mark, Naming, NewJob, Rescued, Retried
from windlass.store.leases import Presence, Renewed
from windlass.store.queues import ALL

DAY = 86_400_000

Event = tuple[int, str, str | None, int]
"""When, what, which worker, under which fence."""


@dataclass(slots=True)
class Lease:
    """A right to jobs. Time makes it rescuable; only a rescue ends it."""

    ttl: int
    renewed_at: int
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class Key:
    """Which job holds a unique key, and until when."""

    seq: int
    until: str
    expires_at: int | None


@dataclass(slots=True)
class Worker:
    """A worker as others see it."""

    lease: str
    seen_at: int


@dataclass(slots=True)
class Queue:
    """The settings of a queue that gate something."""

    max_length: int | None = None
    is_paused: bool = False


@dataclass(slots=True)
class Plan:
    """What an enqueue is going to do, so that it can be refused as a whole."""

    new: dict[str, tuple[NewJob, Naming]] = field(default_factory=dict)
    """By id."""
    keys: dict[str, str] = field(default_factory=dict)
    """The id of the first new job that names a key."""
    own: dict[str, tuple[NewJob, str]] = field(default_factory=dict)
    """By own id: the first job of the call that has it, and the id that it came to."""


class Model:
    """What a store knows. ``now`` is the store's clock, in milliseconds."""

    def __init__(self, *, now: Callable[[], int]) -> None:
        self._now = now
        self.jobs: dict[int, JobRecord] = {}
        self.keys: dict[str, Key] = {}
        self.last_seq = 0
        self._tokens: dict[int, str] = {}
        self._events: defaultdict[int, list[Event]] = defaultdict(list)
        self._leases: dict[str, Lease] = {}
        self._workers: dict[str, Worker] = {}
        self._queues: defaultdict[str, Queue] = defaultdict(Queue)
        self._lost: list[tuple[Expired, Ending]] = []

    def enqueue(self, jobs: Sequence[NewJob], namings: dict[int, Naming]) -> list[Enqueued]:
        plan = Plan()
        targets = [self._place(job, namings.get(index), plan) for index, job in enumerate(jobs)]
        self._check_room(plan)
        for index in namings:
            self._forget_if_over(jobs[index].unique_key)
        for job, naming in plan.new.values():
            self._store(job, naming)
        for job in jobs:
            self._queues[job.queue]  # exists from its first job on
        return [
            Enqueued(id, self._told_state(job, id, is_named=index in namings), is_duplicate)
            for index, (job, (id, is_duplicate)) in enumerate(zip(jobs, targets, strict=True))
        ]

    def _place(self, job: NewJob, naming: Naming | None, plan: Plan) -> tuple[str, bool]:
        """The id of the job that stands for this one, and whether it was there before."""
        twin, target = plan.own.get(job.id, (self._by_id(job.id), job.id))
        if naming and twin and (twin.task, twin.payload) != (job.task, job.payload):
            raise IdConflict(job.id)
        if twin:
            return target, naming is not None
        target = self._holder_id(job.unique_key, plan) or job.id
        if naming and naming.has_own_id:
            plan.own[job.id] = (job, target)
        if target == job.id:
            plan.new[job.id] = (job, naming or Naming())
            if job.unique_key is not None:
                plan.keys[job.unique_key] = job.id
        return target, target != job.id

    def _holder_id(self, key: str | None, plan: Plan) -> str | None:
        holder = self.holder(key)
        return holder.id if holder else plan.keys.get(key or "")

    def _check_room(self, plan: Plan) -> None:
        counts = self.counts()
        for queue, added in Counter(job.queue for job, _ in plan.new.values()).items():
            waiting = sum(counts.get(queue, {}).get(state, 0) for state in (State.PENDING, *DUE_LATER))
            limit = self._queues[queue].max_length if queue in self._queues else None
            if limit is not None and waiting + added > limit:
                raise QueueFull(queue)

    def _forget_if_over(self, key: str | None) -> None:
        # For good: a clock that steps back does not return the key to its former holder.
        if key in self.keys and not self.holder(key):
            del self.keys[key]

    def _store(self, job: NewJob, naming: Naming) -> None:
        now = self._now()
        due = now + job.delay if job.at is None else job.at
        self.last_seq += 1
        blank = dict.fromkeys(JobRecord.__struct_fields__) | dict.fromkeys(
            ("attempt", "crashes", "rescues", "fence"), 0
        )
        state = State.SCHEDULED if due > now else State.PENDING
        own = {"seq": self.last_seq, "state": state, "run_at": max(now, due), "created_at": now}
        self.jobs[self.last_seq] = JobRecord(**(blank | _shared(job, JobRecord) | own))
        if job.unique_key is not None:
            expires_at = None if naming.window is None else now + naming.window
            self.keys[job.unique_key] = Key(self.last_seq, naming.until, expires_at)

    def _told_state(self, job: NewJob, id: str, *, is_named: bool) -> State:
        """A job without a name or an instant is not looked up: the caller knows what becomes of it."""
        found = self._by_id(id)
        if found and (is_named or job.at is not None):
            return found.state
        return State.SCHEDULED if job.delay > 0 else State.PENDING

    def cycle(
        self,
        claimant: Claimant,
        *,
        endings: Sequence[Ending] = (),
        marks: Sequence[Mark] = (),
        rooms: Sequence[tuple[str, int]] = (),
    ) -> Cycled:
        written = [ending for ending in endings if self._end(ending, Verb.FINISH)]
        marked = {mark.seq for mark in marks if self._mark(mark)}
        for queue, room in rooms if self.is_in_time(claimant.lease) else ():
            for job in self._ready(queue)[:room]:
                self._take(job, claimant, started_at=None)
        claimed = [self._claimed(job) for job in self._taken(claimant.token, claimant.lease)]
        is_all_written = len(written) == len(endings)
        refused = () if is_all_written else {e.seq for e in endings if self._refuse(e.seq, e.fence, claimant.worker)}
        return Cycled(claimed, refused, marked)

    def finish(self, endings: Sequence[Ending], *, worker: str) -> Collection[int]:
        return self.cycle(Claimant(worker, "", ""), endings=endings).refused

    def claim(self, limit: int, *, queues: Sequence[str], worker: str, token: str, ttl: int) -> list[Claimed]:
        for queue in queues:
            room = max(0, limit - len(self._taken(token)))
            for job in self._ready(queue)[:room]:
                lease = f"{token}:{job.seq}:{job.fence + 1}"
                self._leases[lease] = Lease(ttl, self._now())
                self._take(job, Claimant(worker, lease, token), started_at=self._now())
        return [self._claimed(job) for job in self._taken(token)][:limit]

    def pending(self, queue: str) -> list[JobRecord]:
        """What waits to be claimed, in the order in which it will be."""
        return _in_claim_order(job for job in self.jobs.values() if (job.queue, job.state) == (queue, State.PENDING))

    def _ready(self, queue: str) -> list[JobRecord]:
        is_paused = any(name in self._queues and self._queues[name].is_paused for name in (queue, ALL))
        return [] if is_paused else self.pending(queue)

    def _take(self, job: JobRecord, claimant: Claimant, *, started_at: int | None) -> None:
        charge = _is_by_hand(claimant.lease)
        owner = {"lease": claimant.lease, "worker": claimant.worker, "fence": job.fence + 1}
        times = {"claimed_at": self._now(), "started_at": started_at}
        self._move(job, Verb.CLAIM, State.RUNNING, attempt=job.attempt + charge, **owner, **times)
        self._tokens[job.seq] = claimant.token
        self._release_key(job, until="started")

    def _taken(self, token: str, lease: str | None = None) -> list[JobRecord]:
        """What one call took and still holds: under a worker's lease, or (without one) by hand."""
        taken = [job for job in self._running() if self._tokens[job.seq] == token]
        return _in_claim_order(
            job for job in taken if (_is_by_hand(job.lease) if lease is None else job.lease == lease)
        )

    def _claimed(self, job: JobRecord) -> Claimed:
        return Claimed(
            **_shared(job, Claimed),
            wants_cancel=job.cancel_requested_at is not None,
            unknown_for=None if job.unknown_at is None else self._now() - job.unknown_at,
            is_charged=_is_by_hand(job.lease),
        )

    def _end(self, ending: Ending, verb: Verb) -> bool:
        job = self.owned(ending.seq, ending.fence)
        if job is None:
            return False
        is_cancelled = job.cancel_requested_at is not None and ending.state is not State.COMPLETED
        self._move(
            job,
            verb,
            State.CANCELLED if is_cancelled else ending.state,
            reason=None if is_cancelled else ending.reason,
            attempt=job.attempt + ending.charge,
            crashes=job.crashes + ending.crash,
            rescues=job.rescues + ending.rescue,
            errors=ending.errors or job.errors,
            lease=None,
            **({"fence": job.fence + 1} if verb is Verb.RESCUE else self._told_by_owner(job, ending)),
        )
        return True

    def _told_by_owner(self, job: JobRecord, ending: Ending) -> dict[str, Any]:
        now = self._now()
        told: dict[str, Any] = {"result": ending.result, "unknown_at": None}
        if ending.delay is not None:
            told["run_at"] = now + ending.delay
        if job.started_at is None and ending.ran_for is not None:
            told["started_at"] = now - ending.ran_for
        if ending.reason == "unknown_task":
            told["unknown_at"] = now if job.unknown_at is None else job.unknown_at
        return told

    def _mark(self, mark: Mark) -> bool:
        job = self.owned(mark.seq, mark.fence)
        if job and job.started_at is None:
            self._change(job, started_at=self._now() - mark.ago)
        return job is not None

    def _refuse(self, seq: int, fence: int, worker: str) -> bool:
        """False if the job still carries the fence: an earlier try of the same write has ended it."""
        job = self.jobs.get(seq)
        if job and job.fence != fence:
            self._note(job, "refused", worker, fence)
        return job is None or job.fence != fence

    def extend(self, seq: int, fence: int, *, ttl: int, worker: str) -> bool:
        job = self.owned(seq, fence)
        if job and job.lease and _is_by_hand(job.lease):
            self._leases[job.lease] = Lease(ttl, self._now())
            return True
        self._refuse(seq, fence, worker)
        return False

    def progress(self, seq: int, fence: int, text: str, *, worker: str) -> bool:
        job = self.owned(seq, fence)
        if job:
            self._change(job, progress=text)
            return True
        self._refuse(seq, fence, worker)
        return False

    def promote(self) -> int:
        due = [job for job in self.jobs.values() if job.state in DUE_LATER and job.run_at <= self._now()]
        for job in due:
            self._move(job, Verb.PROMOTE, State.PENDING, promoted_at=self._now())
        return len(due)

    def rescue(self) -> list[Rescued]:
        self.look_for_expired()
        return self.free()

    def look_for_expired(self) -> None:
        """The first half of a rescue finds what runs under no open lease in time, and decides."""
        jobs = [job for job in self._running() if not self.is_in_time(job.lease)]
        self._lost = [(lost, _after_loss(lost, at=self._now())) for lost in map(_expired, jobs)]

    def free(self) -> list[Rescued]:
        """The second half; what was renewed or ended since the look is left alone."""
        found, self._lost = self._lost, []
        for lost, _ in found:
            if lost.lease in self._leases and not self.is_in_time(lost.lease):
                self._leases[lost.lease].is_open = False
        rescued = [self._free(job, ending) for lost, ending in found if (job := self.owned(lost.seq, lost.fence))]
        if found:
            yesterday = self._now() - DAY
            self._leases = {id: one for id, one in self._leases.items() if one.is_open or one.renewed_at >= yesterday}
        return sorted((one for one in rescued if one), key=lambda one: one.id)

    def _free(self, job: JobRecord, ending: Ending) -> Rescued | None:
        if self._is_open(job.lease):
            return None
        self._note(job, "rescued", job.worker, job.fence)
        self._end(ending, Verb.RESCUE)
        return Rescued(job.id, self.jobs[job.seq].state)

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
        return changed

    def cancels(self, *, lease: str) -> frozenset[tuple[int, int]]:
        """What a worker is asked to stop, by seq and fence."""
        asked = [job for job in self._running() if job.lease == lease and job.cancel_requested_at is not None]
        return frozenset((job.seq, job.fence) for job in asked)

    def retry(self, seqs: Sequence[int], *, queue: str | None = None) -> Retried:
        holders = {job.seq: self.holder(job.unique_key) for job in self._found(seqs, Verb.RETRY)}
        taken = {seq: holder.id for seq, holder in holders.items() if holder and holder.seq != seq}
        retried = [seq for seq in holders if seq not in taken]
        for job in map(self.jobs.__getitem__, retried):
            self._note(job, "retried", None, job.fence)
            fresh = dict.fromkeys(("reason", "cancel_requested_at", "unknown_at", "result", "progress"))
            budget = dict.fromkeys(("attempt", "crashes", "rescues"), 0)
            place = {"queue": queue or job.queue, "run_at": self._now()}
            self._move(job, Verb.RETRY, State.PENDING, **fresh, **budget, **place)
        if queue is not None:
            self._queues[queue]
        return Retried(retried, taken)

    def reschedule(self, seq: int, *, delay: int = 0, at: int | None = None) -> bool:
        due = self._now() + delay if at is None else at
        state = State.SCHEDULED if due > self._now() else State.PENDING
        found = self._found([seq], Verb.RESCHEDULE)
        for job in found:
            self._move(job, Verb.RESCHEDULE, state, run_at=max(self._now(), due))
        return bool(found)

    def delete(self, jobs: Sequence[tuple[int, str]]) -> list[int]:
        deleted = [job.seq for job in self._found([seq for seq, _ in jobs], Verb.DELETE)]
        for seq in deleted:
            del self.jobs[seq]
            self._events.pop(seq, None)
        self.keys = {name: key for name, key in self.keys.items() if key.seq not in deleted}
        return deleted

    def open_lease(self, presence: Presence, *, lease: str, ttl: int) -> None:
        self._workers[presence.worker] = Worker(lease, self._now())
        self._leases.setdefault(lease, Lease(ttl, self._now()))

    def renew(self, presence: Presence, *, lease: str) -> Renewed:
        if self._is_open(lease):
            self._leases[lease].renewed_at = self._now()
            self._workers.setdefault(presence.worker, Worker(lease, self._now())).seen_at = self._now()
        others = [self._leases[job.lease] for job in self._running() if job.lease != lease and self._is_open(job.lease)]
        return Renewed(
            self._is_open(lease),
            frozenset((job.seq, job.fence) for job in self._running() if job.lease == lease),
            self._until(other.renewed_at + other.ttl for other in others),
            self._until(job.run_at for job in self.jobs.values() if job.state in DUE_LATER),
        )

    def _until(self, instants: Iterable[int]) -> int | None:
        first = min(instants, default=None)
        return None if first is None else first - self._now()

    def close_lease(self, *, worker: str, lease: str) -> None:
        self._leases.pop(lease, None)
        self._workers.pop(worker, None)

    def workers(self) -> dict[str, bool]:
        """Which workers there are, and whether they are in time."""
        return {id: self.is_in_time(worker.lease) for id, worker in self._workers.items()}

    def pause(self, name: str, *, is_paused: bool) -> None:
        self._queues[name].is_paused = is_paused

    def limit(self, name: str, *, max_length: int | None) -> None:
        self._queues[name].max_length = max_length

    def remove(self, name: str) -> bool:
        is_empty = all(job.queue != name for job in self.jobs.values())
        return is_empty and self._queues.pop(name, None) is not None

    def gates(self) -> dict[str, tuple[int | None, bool]]:
        """The greatest length of each queue, and whether it is paused."""
        return {name: (queue.max_length, queue.is_paused) for name, queue in self._queues.items()}

    def tidy(self) -> None:
        yesterday, long_ago = self._now() - DAY, self._now() - 30 * DAY
        held = {job.lease for job in self._running()}
        for name in list(self.keys):
            self._forget_if_over(name)
        self._workers = {id: one for id, one in self._workers.items() if one.seen_at >= yesterday}
        self._leases = {i: one for i, one in self._leases.items() if i in held or one.renewed_at + one.ttl >= yesterday}
        for seq, events in self._events.items():
            self._events[seq] = [event for event in events if event[0] >= long_ago]

    def counts(self) -> dict[str, dict[State, int]]:
        by_queue: defaultdict[str, dict[State, int]] = defaultdict(dict)
        for (queue, state), number in Counter((job.queue, job.state) for job in self.jobs.values()).items():
            by_queue[queue][state] = number
        return by_queue

    def records(self) -> list[JobRecord]:
        return list(self.jobs.values())

    def events(self, seq: int) -> list[Event]:
        return self._events[seq]

    def holder(self, key: str | None) -> JobRecord | None:
        """The job that holds a unique key now."""
        held = self.keys.get(key or "")
        is_over = held is None or (held.expires_at is not None and held.expires_at <= self._now())
        return None if is_over or held is None else self.jobs[held.seq]

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

    def _by_id(self, id: str) -> JobRecord | None:
        return next((job for job in self.jobs.values() if job.id == id), None)

    def _running(self) -> list[JobRecord]:
        return [job for job in self.jobs.values() if job.state is State.RUNNING]

    def _found(self, seqs: Sequence[int], verb: Verb) -> list[JobRecord]:
        jobs = [self.jobs[seq] for seq in dict.fromkeys(seqs) if seq in self.jobs]
        return [job for job in jobs if job.state in allowed_from(verb)]

    def _move(self, job: JobRecord, verb: Verb, state: State, **changes: Any) -> None:
        assert is_legal(verb, job.state, state), f"{verb} from {job.state} to {state}"
        if state in FINISHED:
            self._release_key(job, until="started")
            self._release_key(job, until="finished")
        self._change(job, state=state, finished_at=self._now() if state in FINISHED else None, **changes)

    def _change(self, job: JobRecord, **changes: Any) -> None:
        self.jobs[job.seq] = replace(job, **changes)

    def _release_key(self, job: JobRecord, *, until: str) -> None:
        key = self.keys.get(job.unique_key or "")
        if key and (key.seq, key.until) == (job.seq, until):
            del self.keys[job.unique_key or ""]

    def _note(self, job: JobRecord, kind: str, worker: str | None, fence: int) -> None:
        self._events[job.seq].append((self._now(), kind, worker, fence))


def _shared(source: Struct, kind: type[Struct]) -> dict[str, Any]:
    """The fields that a record has in common with another kind."""
    return {name: getattr(source, name) for name in source.__struct_fields__ if name in kind.__struct_fields__}


def _is_by_hand(lease: str | None) -> bool:
    return lease is not None and ":" in lease


def _in_claim_order(jobs: Iterable[JobRecord]) -> list[JobRecord]:
    return sorted(jobs, key=lambda job: (-job.priority, job.seq))


def _expired(job: JobRecord) -> Expired:
    was_started = job.started_at is not None
    return Expired(**_shared(job, Expired), is_charged=_is_by_hand(job.lease), was_started=was_started)


def _after_loss(lost: Expired, *, at: int) -> Ending:
    run = lost.attempt + (not lost.is_charged)
    fault = Fault(at=at, attempt=run, worker=lost.worker or "", type="windlass.LeaseLost", message="")
    return decide(lost, Lost(lost.was_started, fault), retry=Retry())
