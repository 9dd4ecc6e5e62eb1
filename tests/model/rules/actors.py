"""What all who act in a history share: what they remember, and the turns that several of them take."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from hypothesis.stateful import initialize

from tests.model.samples import BY_HAND, LEASE, OUTCOMES, QUEUES
from tests.model.side_by_side import Asked, SideBySide
from windlass.core.decide import decide
from windlass.core.ending import Ending
from windlass.core.limits.concurrency import stored_key
from windlass.core.outcome import Outcome, Returned
from windlass.core.rates.key import rate_gate
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.errors import ConfigError, IdConflict, JobNotFound, QueueFull
from windlass.store.operations.cycle import Claimant, CycleResult, StartMark
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.leases import WorkerReport

RETRY = Retry()


class Cast(SideBySide):
    """Claims, leases and seqs are never forgotten: what is stale is used on."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: dict[tuple[int, int], Claimed] = {}
        """All that were ever handed out, by seq and fence."""
        self.leases: dict[str, str] = {}
        """What each worker takes for its lease."""
        self.all_leases: list[tuple[str, str]] = []
        self.born: dict[int, str] = {}
        """The id under each seq that was ever given out."""
        self.unanswered: list[Asked] = []
        self._numbers = count(1)

    @initialize()
    def set_up(self) -> None:
        """Something to run and somebody to run it, so that no history is about nothing."""
        self.take_lease("w1")
        self.store([self.new("mail"), self.new("mail", priority=1), self.new("bulk", key="k")], {2: Uniqueness()})

    def name(self, kind: str) -> str:
        """One that nobody had before."""
        return f"{kind}{next(self._numbers)}"

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
        expires: int | None = None,
        one_of: str | None = None,
        rate_key: str | None = None,
        payload: str = "{}",
    ) -> NewJob:
        id = id or self.name("job")
        own = (id, task, queue, priority, payload, None, attempts, delay, None, key, None, at)
        line = one_of and stored_key(task, one_of)
        return NewJob(*own, expires=expires, concurrency_key=line, rate_key=rate_key and rate_gate(task, rate_key))

    def store(
        self, new: list[NewJob], namings: dict[int, Uniqueness], edges: Sequence[NewEdge] = (), **more: Any
    ) -> None:
        before = self.model.last_seq
        answer = self.do("enqueue", new, namings, edges, **more)
        self.learn(before)
        if answer in (ConfigError, IdConflict, JobNotFound, QueueFull):
            self.tally.see(answer.__name__)
            return
        for job, stored in zip(new, answer, strict=True):
            if stored.is_duplicate:
                self.tally.see("id known" if stored.id == job.id else "key taken")

    def learn(self, before: int) -> None:
        """Tell the mirror which jobs came into being after this seq."""
        fresh = {job.id: seq for seq, job in self.model.jobs.items() if seq > before}
        if fresh:
            with self.counted():
                self.mirror.learn(fresh)
            self.tally.see("id born again", len(set(fresh) & set(self.born.values())))
            self.born |= {seq: id for id, seq in fresh.items()}

    def take_lease(self, worker: str) -> None:
        self.leases[worker] = self.name("lease")
        self.all_leases.append((worker, self.leases[worker]))
        self.do("open_lease", presence(worker), lease=self.leases[worker], ttl=LEASE)

    def beat(self, worker: str) -> None:
        """One heartbeat; a worker that has lost its lease takes a new one."""
        was_late = not self.model.is_in_time(self.leases.get(worker))
        renewed = self.do("renew", presence(worker), lease=self.leases.get(worker, "none yet"))
        if was_late:
            self.tally.see("renewed late" if renewed.is_open else "leases lost")
        if not renewed.is_open:
            self.take_lease(worker)

    def take(self, worker: str) -> list[Claimed]:
        """Let somebody claim a few jobs."""
        if worker == BY_HAND:
            return self.remember(self.do("claim", 3, **self.by_hand()))
        self.beat(worker)
        return self.remember(self.do("cycle", self.claimant(worker), **self.asking(2)))

    def asking(self, room: int, *, takes_suspect: bool = True) -> dict[str, Any]:
        """The options of a cycle of a worker that has room for so many jobs of each queue."""
        return {"requests": [(queue, room) for queue in QUEUES if room], "takes_suspect": takes_suspect}

    def by_hand(self) -> dict[str, Any]:
        """The options of a manual claim."""
        return {"queues": QUEUES, "worker": BY_HAND, "token": self.name("token"), "ttl": LEASE}

    def claimant(self, worker: str) -> Claimant:
        return Claimant(worker, self.leases.get(worker, "none yet"), self.name("token"))

    def remember(self, answer: CycleResult | list[Claimed]) -> list[Claimed]:
        """Keep what a call handed out, and count what it refused."""
        claimed = answer
        if isinstance(answer, CycleResult):
            claimed = answer.claimed
            self.tally.see("endings refused", len(answer.refused))
        assert isinstance(claimed, list)
        self.claims |= {(claim.seq, claim.fence): claim for claim in claimed}
        return claimed

    def live(self, *workers: str) -> list[Claimed]:
        """The claims that these workers, or any at all, really hold."""
        owned = [(claim, self.model.owned(claim.seq, claim.fence)) for claim in self.claims.values()]
        return [claim for claim, job in owned if job and (not workers or job.worker in workers)]

    def finish(self, claims: list[Claimed], outcome: str, *, worker: str) -> None:
        self.end([ending(claim, outcome) for claim in claims], worker=worker)

    def end(self, endings: list[Ending], *, worker: str) -> None:
        self.remember(self.do("cycle", Claimant(worker, "", ""), endings=endings))

    def write_under(self, claim: Claimed, verb: str, outcome: str) -> None:
        """Write something to a job, be the claim good or stale."""
        match verb:
            case "end":
                self.finish([claim, claim], outcome, worker="late")
                return
            case "mark":
                marks = [StartMark(claim.seq, claim.fence, 5)]
                is_written = bool(self.do("cycle", Claimant("late", "", ""), marks=marks).marked)
            case "extend":
                is_written = self.do("extend", claim.seq, claim.fence, ttl=LEASE, worker="late")
            case _:
                is_written = self.do("progress", claim.seq, claim.fence, self.name("part"), worker="late")
        self.tally.see(f"{verb} {'written' if is_written else 'refused'}")

    def keep_up(self) -> None:
        """What every worker does for all: promote and rescue."""
        self.tally.see("promoted", self.do("promote"))
        self.do("look_for_expired")
        self.free()

    def free(self) -> None:
        found = len(self.model.losses)
        rescued = self.do("free")
        self.tally.see("rescues outrun", found - len(rescued))
        for one in rescued:
            self.tally.see(f"rescued, then {one.state}")

    def seq(self, pick: int) -> int:
        """One of all that were ever given out, the newest first."""
        return self.model.last_seq - pick % self.model.last_seq


def ending(claim: Claimed, outcome: str) -> Ending:
    """Each job returns something of its own."""
    known = OUTCOMES[outcome]
    return ended(claim, Returned(f'"{claim.id}"') if isinstance(known, Returned) else known)


def ended(claim: Claimed, outcome: Outcome) -> Ending:
    return decide(claim, outcome, retry=RETRY, ran_for=7)


def once_more(asked: Asked) -> Asked:
    """A call that is repeated. What a cycle took is handed out again; taking more is no part of asking again."""
    return asked._replace(options={**asked.options, "requests": []}) if asked.name == "cycle" else asked


def presence(worker: str) -> WorkerReport:
    return WorkerReport(worker, worker, "idle", "{}")
