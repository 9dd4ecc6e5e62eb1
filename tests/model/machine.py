"""Random histories, as clients, workers and operators make them, with everything that goes wrong on the way."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from typing import Any

from hypothesis.stateful import initialize, precondition, rule

from tests.model import material as m
from tests.model.material import BY_HAND, LEASE, OUTCOMES, PUT_BACK, QUEUES, WINDOWS, When
from tests.model.side_by_side import Asked, SideBySide
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.record import Claimed
from windlass.core.retry import Retry
from windlass.core.state import State
from windlass.errors import IdConflict, QueueFull
from windlass.store.jobs import Claimant, Cycled, Mark, Naming, NewJob
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

    @initialize()
    def set_up(self) -> None:
        """Something to run and somebody to run it, so that no history is about nothing."""
        self.take_lease("w1")
        self.store([self.new("mail"), self.new("mail", priority=1), self.new("bulk", key="k")], {2: Naming()})

    # Clients

    @rule(queue=m.queues, priority=m.priorities, when=m.whens, attempts=m.attempts, more=m.few)
    def enqueue(self, queue: str, priority: int, when: When, attempts: int, more: int) -> None:
        delay, offset = when
        at = None if offset is None else self.clock.at + offset
        options = {"priority": priority, "delay": delay, "at": at, "attempts": attempts}
        self.store([self.new(queue, **options) for _ in range(1 + more)], {})

    @rule(queue=m.queues, id=m.own_ids, task=m.tasks, keys=m.key_pairs, kind=m.kinds)
    def enqueue_named(
        self, queue: str, id: str | None, task: str, keys: tuple[str | None, str | None], kind: str
    ) -> None:
        naming = Naming(id is not None, kind, WINDOWS[kind])
        # An own id that stands twice in one call is the same request twice, the key included.
        new = [self.new(queue, id=id, task=task, key=key if id is None else keys[0]) for key in keys]
        self.store(new, {0: naming, 1: naming})

    @rule(queue=m.queues, id=m.ids, task=m.tasks)
    def enqueue_deleted(self, queue: str, id: str, task: str) -> None:
        """An id is free again once its job was deleted; what still writes to the former job must not meet the new one."""
        former = [(seq, name) for seq, name in self.born.items() if name == id][-1:]
        self.tally.see("deleted", len(self.do("delete", former)))
        self.store([self.new(queue, id=id, task=task)], {0: Naming(True)})

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

    def take_lease(self, worker: str) -> None:
        lease = f"lease{next(self._numbers)}"
        self.do("open_lease", _presence(worker), lease=lease, ttl=LEASE)
        self.leases[worker] = lease
        self.all_leases.append((worker, lease))

    def beat(self, worker: str) -> None:
        """One heartbeat; a worker that has lost its lease takes a new one."""
        lease = self.leases.get(worker, "never opened")
        was_late = not self.model.is_in_time(lease)
        renewed = self.do("renew", _presence(worker), lease=lease)
        if was_late:
            self.tally.see("renewed late" if renewed.is_open else "leases lost")
        if not renewed.is_open:
            self.take_lease(worker)

    @rule(worker=m.workers, outcome=m.outcomes, ended=m.few, begun=m.few, room=m.rooms, fate=m.fates, does_beat=m.flags)
    def work(self, worker: str, outcome: str, ended: int, begun: int, room: int, fate: str, does_beat: bool) -> None:
        """One turn of a worker: some of its jobs have ended, some have begun, there is room for more."""
        if does_beat:
            self.beat(worker)
        if outcome in PUT_BACK and ended:
            room = 0  # whether a call may take again what it puts back is left to the store
        live = self.live(worker)
        options = {
            "endings": [_ending(claim, outcome) for claim in live[:ended]],
            "marks": [Mark(claim.seq, claim.fence, 5) for claim in live[ended : ended + begun]],
            "rooms": [(queue, room) for queue in QUEUES if room],
        }
        self.ask(Asked("cycle", (self.claimant(worker),), options), fate)

    @rule(worker=m.workers, outcome=m.outcomes)
    def run(self, worker: str, outcome: str) -> None:
        """A worker takes jobs and ends them all alike."""
        self.finish([_ending(claim, outcome) for claim in self.take(worker)], worker=worker)

    def take(self, worker: str) -> list[Claimed]:
        self.beat(worker)
        cycled = self.do("cycle", self.claimant(worker), rooms=[(queue, 2) for queue in QUEUES])
        self.remember(cycled)
        return _claimed(cycled)

    def claimant(self, worker: str) -> Claimant:
        return Claimant(worker, self.leases.get(worker, "never opened"), f"token{next(self._numbers)}")

    @rule(queue=m.queues, limit=m.few, fate=m.fates, verb=m.hands, outcome=m.outcomes)
    def pull(self, queue: str, limit: int, fate: str, verb: str, outcome: str) -> None:
        """Somebody claims by hand, and does something with the newest that he holds."""
        options = {"queues": [queue, *QUEUES], "worker": BY_HAND, "token": f"token{next(self._numbers)}", "ttl": LEASE}
        self.ask(Asked("claim", (1 + limit,), options), fate)
        for claim in self.live(BY_HAND)[-1:]:
            if verb == "end":
                self.finish([_ending(claim, outcome)], worker=BY_HAND)
            elif verb == "extend":
                self.see(verb, self.do("extend", claim.seq, claim.fence, ttl=LEASE, worker=BY_HAND))

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

    def live(self, *workers: str) -> list[Claimed]:
        """The claims that these workers, or any at all, really hold."""
        owned = [(claim, self.model.owned(claim.seq, claim.fence)) for claim in self.claims.values()]
        return [claim for claim, job in owned if job and (not workers or job.worker in workers)]

    def finish(self, endings: list[Ending], *, worker: str) -> None:
        self.remember(self.do("cycle", Claimant(worker, "", ""), endings=endings))

    def see_refused(self, refused: Collection[int]) -> None:
        self.tally.see("endings refused", len(refused))

    # Zombies

    @precondition(lambda self: self.claims)
    @rule(pick=m.picks, verb=m.writes, outcome=m.outcomes, is_owner=m.flags)
    def write(self, pick: int, verb: str, outcome: str, is_owner: bool) -> None:
        """A write by an owner, or under any fence that was ever given out."""
        claim = _any((is_owner and self.live()) or list(self.claims.values()), pick)
        if verb == "end":
            self.finish([_ending(claim, outcome)] * (1 + pick % 2), worker="zombie")
        elif verb == "mark":
            marks = [Mark(claim.seq, claim.fence, 5)]
            self.see(verb, bool(self.do("cycle", Claimant("zombie", "", ""), marks=marks).marked))
        elif verb == "extend":
            self.see(verb, self.do("extend", claim.seq, claim.fence, ttl=LEASE, worker="zombie"))
        else:
            self.see(verb, self.do("progress", claim.seq, claim.fence, outcome, worker="zombie"))

    @rule(pick=m.picks, does_close=m.flags)
    def use_old_lease(self, pick: int, does_close: bool) -> None:
        worker, lease = _any(self.all_leases, pick)
        if does_close:
            self.do("close_lease", worker=worker, lease=lease)
        else:
            self.do("renew", _presence(worker), lease=lease)

    def see(self, verb: str, is_written: bool) -> None:
        self.tally.see(f"{verb} {'written' if is_written else 'refused'}")

    @precondition(lambda self: self.last)
    @rule()
    def repeat(self) -> None:
        assert self.last
        before = self.model.last_seq
        name, args, options = self.last
        self.do(name, *args, **options)
        self.learn(before)

    # Duties and time

    @rule(jump=m.jumps, does_keep_up=m.flags)
    def wait(self, jump: int, does_keep_up: bool) -> None:
        self.clock.at += jump
        if does_keep_up:
            self.keep_up()

    @rule()
    def rescue_slowly(self) -> None:
        """Half a rescue; the other half comes after whatever happens in between."""
        if self.model.losses:
            self.free()
        else:
            self.do("look_for_expired")

    @rule(worker=m.workers, outcome=m.outcomes)
    def outrun_rescue(self, worker: str, outcome: str) -> None:
        """While a rescuer decides, the owners end their jobs after all, and another worker takes what comes back."""
        self.do("look_for_expired")
        self.finish([_ending(claim, outcome) for claim in self.live()], worker="late")
        self.do("promote")
        self.take(worker)
        self.free()

    def keep_up(self) -> None:
        self.tally.see("promoted", self.do("promote"))
        self.do("look_for_expired")
        self.free()

    def free(self) -> None:
        found = len(self.model.losses)
        rescued = self.do("free")
        self.tally.see("rescues outrun", found - len(rescued))
        for one in rescued:
            self.tally.see(f"rescued, then {one.state}")

    @rule(worker=m.workers, is_marked=m.flags, returns=m.flags, outcome=m.outcomes)
    def stall(self, worker: str, is_marked: bool, returns: bool, outcome: str) -> None:
        """A worker takes jobs and is not heard of until they were rescued; often enough in a row, they are given up."""
        claims = self.take(worker)
        if is_marked:
            self.do("cycle", self.claimant(worker), marks=[Mark(claim.seq, claim.fence, 0) for claim in claims])
        self.clock.at += LEASE
        self.keep_up()
        if returns:
            self.finish([_ending(claim, outcome) for claim in claims], worker=worker)

    # Operators

    @rule(pick=m.picks, other=m.picks)
    def cancel(self, pick: int, other: int) -> None:
        for state in self.do("cancel", [self.seq(pick), self.seq(other)]).values():
            self.tally.see("cancels asked for" if state is State.RUNNING else "cancels")

    @rule(pick=m.picks, more=m.few, queue=m.other_queues)
    def retry(self, pick: int, more: int, queue: str | None) -> None:
        seqs = {self.seq(pick + further) for further in range(1 + 3 * more)}
        retried = self.do("retry", sorted(seqs), queue=queue)
        self.tally.see("retried by hand", len(retried.seqs))
        self.tally.see("retries kept off by a key", len(retried.key_taken))

    @rule(pick=m.picks, when=m.whens, does_delete=m.flags)
    def move_or_delete(self, pick: int, when: When, does_delete: bool) -> None:
        seq, (delay, offset) = self.seq(pick), when
        if does_delete:
            self.tally.see("deleted", len(self.do("delete", [(seq, self.born[seq])])))
        else:
            when_due = {"delay": delay} if offset is None else {"at": self.clock.at + offset}
            self.tally.see("rescheduled", self.do("reschedule", seq, **when_due))

    @rule(what=m.changes, queue=m.queues, worker=m.workers)
    def administer(self, what: tuple[str, Any], queue: str, worker: str) -> None:
        verb, value = what
        if verb == "pause":
            self.do("pause", queue, is_paused=value)
        elif verb == "pause all":
            self.do("pause", ALL, is_paused=value)
        elif verb == "limit":
            self.do("limit", queue, max_length=value)
        elif verb == "tidy":
            self.do("tidy")
        else:
            self.look("pending", queue)
            self.look("cancels", lease=self.leases.get(worker, "never opened"))

    def seq(self, pick: int) -> int:
        """One of all that were ever given out, the newest first."""
        return self.model.last_seq - pick % self.model.last_seq


def _ending(claim: Claimed, outcome: str) -> Ending:
    return decide(claim, OUTCOMES[outcome], retry=RETRY, ran_for=7)


def _presence(worker: str) -> Presence:
    return Presence(worker, worker, "idle", "{}")


def _any(things: list[Any], pick: int) -> Any:
    """One of them, the newest first."""
    return things[-1 - pick % len(things)]


def _claimed(answer: Cycled | list[Claimed]) -> list[Claimed]:
    return answer.claimed if isinstance(answer, Cycled) else answer
