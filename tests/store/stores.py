"""The store a test works with, and what it can build there in one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from tests.manual_clock import move
from tests.places.place import Place, ServerPlace
from tests.store.builders import RETURNED, TTL, ending, fresh, mark, new_job
from tests.store.enqueue import add
from windlass import clock as real_clock
from windlass.core.ending import Ending
from windlass.core.outcome import Outcome
from windlass.core.records import Claimed, JobRecord
from windlass.store.driver import Driver
from windlass.store.operation import Operation, drive
from windlass.store.operations import leases, queries
from windlass.store.operations.cycle import Claimant, CycleResult, StartMark, cycle, finish
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.rescue import Rescued, rescue
from windlass.testing import ManualClock

A = TypeVar("A")


@contextmanager
def open_store(where: Place | str, *, clock: ManualClock | None = None, deadline: float = 5.0) -> Iterator[Store]:
    """The store at a place or a URL, as another process has it; by the real clock, unless the test has one."""
    place = ServerPlace(where, "windlass") if isinstance(where, str) else where
    with closing(Store(place.open(now=clock, deadline=deadline), place=place, clock=clock)) as store:
        yield store


class Store:
    """A driver, and what a test does with it in one line each."""

    def __init__(self, driver: Driver, *, place: Place | None = None, clock: ManualClock | None = None) -> None:
        self.driver = driver
        self._place = place
        self._manual_clock = clock
        self.clock: Callable[[], int] = clock or real_clock.now
        self._others = ExitStack()
        self._is_made = False

    def close(self) -> None:
        self._others.close()
        self.driver.close()

    @property
    def place(self) -> Place:
        assert self._place is not None
        return self._place

    def run(self, operation: Operation[A]) -> A:
        if not self._is_made:  # a test may look before anything was stored
            self.driver.make()
            self._is_made = True
        return drive(operation, self.driver.execute)

    def another(self, *, now: Callable[[], int] | None = None, deadline: float = 5.0) -> Store:
        """The same data through a second driver, as another process has it; closed with this one."""
        driver = self.place.open(now=now or self._manual_clock, deadline=deadline)
        other = Store(driver, place=self.place, clock=self._manual_clock)
        return self._others.enter_context(closing(other))

    def advance(self, milliseconds: int) -> None:
        """Let time pass for all drivers on this clock; a negative step is a clock that was set back."""
        assert self._manual_clock is not None
        move(self._manual_clock, milliseconds)

    def count(self) -> int:
        """How many jobs there are: a call that only reads."""
        return sum(sum(states.values()) for states in self.run(queries.counts()).values())

    # Building.

    def enqueue(self, *new: NewJob, naming: Uniqueness | None = None) -> list[Enqueued]:
        """Store jobs in one call; ``naming`` holds for all of them, keys are held until finished without one."""
        named = [index for index, job in enumerate(new) if naming is not None or job.unique_key is not None]
        return self.run(add(new, {index: naming or Uniqueness() for index in named}))

    def a_job(self, new: NewJob | None = None, *, naming: Uniqueness | None = None) -> JobRecord:
        """A stored job."""
        [stored] = self.enqueue(new or new_job(), naming=naming)
        return self.job(stored.id)

    def a_worker(self, name: str | None = None, *, ttl: int = TTL, queues: Sequence[str] = ("default",)) -> Worker:
        """A worker with an open lease."""
        lease = leases.lease_name(fresh("lease"), has_duties=True, queues=queues)
        worker = Worker(self, name or fresh("worker"), lease, tuple(queues))
        self.run(leases.open_lease(worker.presence(), lease=worker.lease, ttl=ttl))
        return worker

    def claimed(self, new: NewJob | None = None, *, by: Worker | None = None) -> Claimed:
        """A new job that a worker has just taken."""
        new = new or new_job()
        self.enqueue(new)
        taken = (by or self.a_worker()).take(1, queue=new.queue)
        assert [job.id for job in taken] == [new.id], "jobs of the same queue stand before it"
        return taken[0]

    def manually_claimed(
        self, new: NewJob | None = None, *, worker: str = "me", token: str | None = None, ttl: int = TTL
    ) -> Claimed:
        """A new job that was claimed manually."""
        new = new or new_job()
        self.enqueue(new)
        token = token or fresh("token")
        taken = self.run(claim(1, queues=[new.queue], worker=worker, token=token, ttl=ttl))
        assert [job.id for job in taken] == [new.id], "jobs of the same queue stand before it"
        return taken[0]

    def end(self, job: Claimed, outcome: Outcome = RETURNED, *, worker: str = "w") -> Collection[int]:
        """End a run without taking a new one; the seqs that were refused."""
        return self.run(finish([ending(job, outcome)], worker=worker))

    def finished(self, outcome: Outcome = RETURNED, new: NewJob | None = None) -> JobRecord:
        """A job whose run has ended so."""
        job = self.claimed(new)
        assert not self.end(job, outcome)
        return self.job(job.id)

    def rescue(self) -> list[Rescued]:
        return self.run(rescue(by="rescuer", now=self.clock))

    # Looking.

    def job(self, id: str) -> JobRecord:
        found = self.run(queries.find([id]))
        assert id in found, f"no job {id!r}"
        return found[id]

    def exists(self, id: str) -> bool:
        return id in self.run(queries.find([id]))

    def events(self, seq: int) -> list[queries.EventRecord]:
        return self.run(queries.history(seq)).events

    def kinds(self, seq: int) -> list[str]:
        return [event.kind for event in self.events(seq)]


@dataclass(frozen=True)
class Worker:
    """A worker as the store sees it."""

    store: Store
    name: str
    lease: str
    queues: tuple[str, ...] = ("default",)

    @property
    def id(self) -> str:
        return f"{self.name}-id"

    def presence(self, state: str = "idle") -> leases.WorkerReport:
        queues = ",".join(f'"{queue}"' for queue in self.queues)
        return leases.WorkerReport(self.id, self.name, state, f'{{"queues":[{queues}]}}')

    def cycle(
        self,
        *,
        endings: Sequence[Ending] = (),
        marks: Sequence[StartMark] = (),
        requests: Sequence[tuple[str, int]] = (),
        token: str | None = None,
        takes_suspect: bool = True,
    ) -> CycleResult:
        claimant = Claimant(self.name, self.lease, token or fresh("token"))
        return self.store.run(
            cycle(claimant, endings=endings, marks=marks, requests=requests, takes_suspect=takes_suspect)
        )

    def take(self, room: int = 100, *, queue: str = "default", token: str | None = None) -> list[Claimed]:
        return self.cycle(requests=[(queue, room)], token=token).claimed

    def mark(self, *started: Claimed) -> None:
        self.cycle(marks=[mark(job) for job in started])

    def end(self, job: Claimed, outcome: Outcome = RETURNED) -> Collection[int]:
        return self.cycle(endings=[ending(job, outcome)]).refused

    def renew(self, state: str = "idle") -> leases.Renewed:
        return self.store.run(leases.renew(self.presence(state), lease=self.lease))

    def control(self) -> leases.Control:
        return self.store.run(leases.control(worker=self.id, lease=self.lease))

    def close(self) -> str | None:
        return self.store.run(leases.close_lease(worker=self.id, lease=self.lease))
