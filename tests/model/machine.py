"""Random histories, as clients, workers and operators make them, with everything that goes wrong on the way."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from typing import Any

from hypothesis.stateful import precondition, rule

from tests.model import material as m
from tests.model.material import BY_HAND, LEASE, OUTCOMES, PUT_BACK, QUEUES, WINDOWS
from tests.model.side_by_side import Asked, SideBySide
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.record import Claimed
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.errors import IdConflict, QueueFull
from windlass.store.jobs import Claimant, Cycled, Mark, Naming, NewJob, Rescued
from windlass.store.leases import Presence
from windlass.store.queues import ALL

RETRY = Retry()


class StoreMachine(SideBySide):
    """The rules. Claims, leases and seqs are never forgotten: what is stale is used on."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: dict[tuple[int, int], Claimed] = {}
        """All that were ever handed out, by seq and fence."""
        self.leases: dict[str, str] = {}
        self.all_leases: list[tuple[str, str]] = []
        self.born: dict[int, str] = {}
        self.unanswered: list[Asked] = []
        self._numbers = count(1)

    # Clients

    @rule(queue=m.queues, priority=m.priorities, delay=m.delays, attempts=m.attempts, more=m.few)
    def enqueue(self, queue: str, priority: int, delay: int, attempts: int, more: int) -> None:
        new = [self.new(queue, priority=priority, delay=delay, attempts=attempts) for _ in range(1 + more)]
        self.store(new, {})

    @rule(queue=m.queues, offset=m.offsets)
    def enqueue_at(self, queue: str, offset: int) -> None:
        self.store([self.new(queue, at=self.clock.at + offset)], {})

    @rule(queue=m.queues, id=m.own_ids, task=m.tasks, key=m.keys, kind=m.kinds, has_key=m.flags, has_twin=m.flags)
    def enqueue_by_id(self, queue: str, id: str, task: str, key: str, kind: str, has_key: bool, has_twin: bool) -> None:
        naming = Naming(True, kind, WINDOWS[kind]) if has_key else Naming(True)
        new = [self.new(queue, id=id, task=task, key=key if has_key else None)]
        if has_twin:
            new.append(self.new(queue, id=id, key=new[0].unique_key))
        self.store(new, {index: naming for index in range(len(new))})

    @rule(queue=m.queues, key=m.keys, kind=m.kinds, delay=m.delays, other=m.keys, attempts=m.attempts)
    def enqueue_unique(self, queue: str, key: str, kind: str, delay: int, other: str, attempts: int) -> None:
        new = [self.new(queue, key=key, delay=delay, attempts=attempts), self.new(queue, key=other)]
        naming = Naming(False, kind, WINDOWS[kind])
        self.store(new, {0: naming, 1: naming})

    def new(
        self,
        queue: str,
        *,
        id: str | None = None,
        task: str = "t",
        priority: int = 0,
        delay: int = 0,
        at: int | None = None,
        key: str | None = None,
        attempts: int = 4,
    ) -> NewJob:
        name = f"job{next(self._numbers)}" if id is None else id
        return NewJob(name, task, queue, priority, "{}", None, attempts, delay, None, key, None, at)

    def store(self, new: list[NewJob], namings: dict[int, Naming]) -> None:
        before = self.model.last_seq
        answer = self.do("enqueue", new, namings)
        self.learn(before)
        if answer in (IdConflict, QueueFull):
            self.tally.see(answer.__name__)
            return
        for job, stored in zip(new, answer, strict=True):
            if stored.is_duplicate:
                self.tally.see("id known" if stored.id == job.id else "key taken")

    def learn(self, before: int) -> None:
        """Tell the mirror which jobs came into being."""
        fresh = {job.id: seq for seq, job in self.model.jobs.items() if seq > before}
        if fresh:
            with self._counted():
                self.mirror.learn(fresh)
            self.tally.see("id born again", len(set(fresh) & set(self.born.values())))
            self.born |= {seq: id for id, seq in fresh.items()}

    # Workers

    @rule(worker=m.workers)
    def open_lease(self, worker: str) -> None:
        self.take_lease(worker)

    def take_lease(self, worker: str) -> None:
        lease = f"lease{next(self._numbers)}"
        self.do("open_lease", _presence(worker), lease=lease, ttl=LEASE)
        self.leases[worker] = lease
        self.all_leases.append((worker, lease))

    @rule(worker=m.workers)
    def renew(self, worker: str) -> None:
        lease = self.leases.get(worker, "never opened")
        was_late = not self.model.is_in_time(lease)
        renewed = self.do("renew", _presence(worker), lease=lease)
        if was_late:
            self.tally.see("renewed late" if renewed.is_open else "lease lost")
        if not renewed.is_open:
            self.take_lease(worker)

    @precondition(lambda self: self.all_leases)
    @rule(pick=m.picks, does_close=m.flags)
    def use_old_lease(self, pick: int, does_close: bool) -> None:
        worker, lease = _any(self.all_leases, pick)
        if does_close:
            self.do("close_lease", worker=worker, lease=lease)
        else:
            self.do("renew", _presence(worker), lease=lease)

    @rule(worker=m.workers, outcome=m.outcomes, ended=m.few, begun=m.few, room=m.rooms, fate=m.fates)
    def cycle(self, worker: str, outcome: str, ended: int, begun: int, room: int, fate: str) -> None:
        if outcome in PUT_BACK and ended:
            room = 0  # whether the same call may take again what it puts back is left to the store
        live = self.live(worker)
        claimant = Claimant(worker, self.leases.get(worker, "never opened"), f"token{next(self._numbers)}")
        options = {
            "endings": [self.ending(claim, outcome) for claim in live[:ended]],
            "marks": [Mark(claim.seq, claim.fence, 5) for claim in live[ended : ended + begun]],
            "rooms": [(queue, room) for queue in QUEUES if room],
        }
        self.ask(Asked("cycle", (claimant,), options), fate)

    @rule(queue=m.queues, limit=m.few, fate=m.fates)
    def claim_by_hand(self, queue: str, limit: int, fate: str) -> None:
        options = {"queues": [queue, *QUEUES], "worker": BY_HAND, "token": f"token{next(self._numbers)}", "ttl": LEASE}
        self.ask(Asked("claim", (1 + limit,), options), fate)

    @rule(outcome=m.outcomes, pick=m.picks)
    def end_by_hand(self, outcome: str, pick: int) -> None:
        live = self.live(BY_HAND)
        if live:
            claim = _any(live, pick)
            self.finish([self.ending(claim, outcome)], worker=BY_HAND)

    @precondition(lambda self: self.unanswered)
    @rule(pick=m.picks)
    def ask_again(self, pick: int) -> None:
        name, args, options = self.unanswered.pop(pick % len(self.unanswered))
        if name == "cycle":
            # What the first try took is handed out again; taking more is not part of asking again.
            options = {**options, "rooms": []}
        answer = self.do(name, *args, **options)
        self.remember(answer)
        self.tally.see("asked again")
        if _claimed(answer):
            self.tally.see("claims handed out again")

    def ask(self, asked: Asked, fate: str) -> None:
        """Make a call whose request or reply the network may lose; the caller asks again later."""
        if fate != "request lost":
            answer = self.do(asked.name, *asked.args, **asked.options)
        if fate == "answered":
            self.remember(answer)
        else:
            self.unanswered.append(asked)

    def remember(self, answer: Cycled | list[Claimed]) -> None:
        """Take what a call handed out, and count what it refused."""
        self.claims |= {(claim.seq, claim.fence): claim for claim in _claimed(answer)}
        if isinstance(answer, Cycled):
            self.see_refused(answer.refused)

    def live(self, worker: str) -> list[Claimed]:
        """The claims that a worker really holds."""
        owned = [(claim, self.model.owned(claim.seq, claim.fence)) for claim in self.claims.values()]
        return [claim for claim, job in owned if job and job.worker == worker]

    def ending(self, claim: Claimed, outcome: str) -> Ending:
        return decide(claim, OUTCOMES[outcome], retry=RETRY, ran_for=7)

    def finish(self, endings: list[Ending], *, worker: str) -> None:
        self.remember(self.do("cycle", Claimant(worker, "", ""), endings=endings))

    def see_refused(self, refused: Collection[int]) -> None:
        self.tally.see("endings refused", len(refused))

    # Zombies

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, outcome=m.outcomes)
    def end_again(self, pick: int, outcome: str) -> None:
        claim = _any(list(self.claims.values()), pick)
        self.finish([self.ending(claim, outcome)] * (1 + pick % 2), worker="zombie")

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, worker=m.workers)
    def begin_again(self, pick: int, worker: str) -> None:
        claim = _any(list(self.claims.values()), pick)
        claimant = Claimant(worker, self.leases.get(worker, "never opened"), "a token of none")
        marked = self.do("cycle", claimant, marks=[Mark(claim.seq, claim.fence, 5)]).marked
        self.tally.see("starts allowed" if marked else "starts refused")

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, does_extend=m.flags)
    def write_again(self, pick: int, does_extend: bool) -> None:
        claim = _any(list(self.claims.values()), pick)
        if does_extend:
            is_written = self.do("extend", claim.seq, claim.fence, ttl=LEASE, worker="zombie")
        else:
            is_written = self.do("progress", claim.seq, claim.fence, f"{pick}", worker="zombie")
        what = "extends" if does_extend else "progress"
        self.tally.see(f"{what} {'written' if is_written else 'refused'}")

    @precondition(lambda self: self.last)
    @rule()
    def repeat(self) -> None:
        assert self.last
        before = self.model.last_seq
        name, args, options = self.last
        self.do(name, *args, **options)
        self.learn(before)

    # Duties and time

    @rule(jump=m.jumps)
    def wait(self, jump: int) -> None:
        self.clock.at += jump

    @rule()
    def promote(self) -> None:
        self.tally.see("promoted", self.do("promote"))

    @rule()
    def rescue(self) -> None:
        self.do("look_for_expired")
        self.see_rescued(self.do("free"))

    @rule()
    def look_for_expired(self) -> None:
        self.do("look_for_expired")

    @rule()
    def free(self) -> None:
        """The second half of a rescue, after whatever happened since its first."""
        self.see_rescued(self.do("free"))

    @rule(worker=m.workers, is_marked=m.flags)
    def crash(self, worker: str, is_marked: bool) -> None:
        """A worker takes jobs and is never heard of again: often enough in a row, they are given up."""
        self.take_lease(worker)
        claimant = Claimant(worker, self.leases[worker], f"token{next(self._numbers)}")
        claimed = self.do("cycle", claimant, rooms=[(queue, 2) for queue in QUEUES]).claimed
        if is_marked:
            self.do("cycle", claimant, marks=[Mark(claim.seq, claim.fence, 0) for claim in claimed])
        self.clock.at += LEASE
        self.rescue()

    def see_rescued(self, rescued: list[Rescued]) -> None:
        for one in rescued:
            self.tally.see(f"rescued, then {one.state}")

    @rule()
    def tidy(self) -> None:
        self.do("tidy")

    # Operators

    @precondition(lambda self: self.born)
    @rule(pick=m.picks, other=m.picks)
    def cancel(self, pick: int, other: int) -> None:
        changed = self.do("cancel", [self.seq(pick), self.seq(other)])
        for state in changed.values():
            self.tally.see("cancels asked for" if state is State.RUNNING else "cancels")

    @precondition(lambda self: self.born)
    @rule(pick=m.picks, other=m.picks, queue=m.queues, does_move=m.flags)
    def retry(self, pick: int, other: int, queue: str, does_move: bool) -> None:
        seqs = sorted({self.seq(pick), self.seq(other)})
        retried = self.do("retry", seqs, queue=queue if does_move else None)
        self.tally.see("retried by hand", len(retried.seqs))
        self.tally.see("retries kept off by a key", len(retried.key_taken))

    @precondition(lambda self: self.born)
    @rule(pick=m.picks, delay=m.delays, offset=m.offsets, is_instant=m.flags)
    def reschedule(self, pick: int, delay: int, offset: int, is_instant: bool) -> None:
        when = {"at": self.clock.at + offset} if is_instant else {"delay": delay}
        self.tally.see("rescheduled", self.do("reschedule", self.seq(pick), **when))

    @precondition(lambda self: self.born)
    @rule(pick=m.picks, other=m.picks)
    def delete(self, pick: int, other: int) -> None:
        seqs = sorted({self.seq(pick), self.seq(other)})
        self.tally.see("deleted", len(self.do("delete", [(seq, self.born[seq]) for seq in seqs])))

    @rule(queue=m.queues, is_paused=m.flags, is_all=m.flags)
    def pause(self, queue: str, is_paused: bool, is_all: bool) -> None:
        self.do("pause", ALL if is_all else queue, is_paused=is_paused)

    @rule(queue=m.queues, room=m.rooms)
    def limit(self, queue: str, room: int) -> None:
        self.do("limit", queue, max_length=room or None)

    @rule(queue=m.queues, worker=m.workers)
    def inspect(self, queue: str, worker: str) -> None:
        self.look("pending", queue)
        self.look("cancels", lease=self.leases.get(worker, "never opened"))

    def seq(self, pick: int) -> int:
        """One of all that were ever given out, the newest first."""
        return self.model.last_seq - pick % self.model.last_seq


def _presence(worker: str) -> Presence:
    return Presence(worker, worker, "idle", "{}")


def _any(things: list[Any], pick: int) -> Any:
    """One of them, the newest first."""
    return things[-1 - pick % len(things)]


def _claimed(answer: Cycled | list[Claimed]) -> list[Claimed]:
    return answer.claimed if isinstance(answer, Cycled) else answer
