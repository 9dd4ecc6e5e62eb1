"""Long jobs after the death of their process, by the rules of workers and store, under a clock that the test moves."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.store.builders import SECOND, new_job
from tests.store.stores import Store, Worker
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import FINISHED, State
from windlass.core.suspect import has_to_run_alone, is_suspect, keeps_suspects_waiting_for
from windlass.store.operations import queries

STEP = 5 * SECOND
FRESH = 10 * SECOND
ALONE = 60 * SECOND
MINUTE = 60 * SECOND
LENGTH = 30 * MINUTE
"""How long an innocent job runs."""
POISON = "poison"


@dataclass(eq=False)
class Process:
    """A worker process with these jobs; ``None`` instead of an instant stands for a run that has not begun."""

    worker: Worker
    places: int
    runs: dict[Claimed, int | None] = field(default_factory=dict)
    suspect: Claimed | None = None

    def age(self, job: Claimed, now: int) -> int:
        started = self.runs[job]
        return -1 if started is None else now - started

    def is_free_for_suspect(self, now: int) -> bool:
        job = self.suspect
        return job is None or job not in self.runs or self.age(job, now) > keeps_suspects_waiting_for(job)

    def step(self, now: int) -> None:
        """End what is over, start what may start, claim what there is room for."""
        for job in [job for job in self.runs if self.age(job, now) >= LENGTH]:
            self.worker.end(job)
            del self.runs[job]
        if now % (2 * STEP) < STEP:
            self.worker.renew()
        alone = self.suspect if self.suspect in self.runs and has_to_run_alone(self.suspect) else None
        if alone is None or self.age(alone, now) > ALONE:
            self._claim(now)
        self._start(now)

    def _claim(self, now: int) -> None:
        takes_suspect = self.is_free_for_suspect(now)
        requests = [("default", self.places - len(self.runs))]
        for job in self.worker.cycle(requests=requests, takes_suspect=takes_suspect).claimed:
            self.runs[job] = None
            self.suspect = job if is_suspect(job) else self.suspect

    def _start(self, now: int) -> None:
        for job in [job for job, started in self.runs.items() if started is None]:
            others = [self.age(other, now) for other in self.runs if other is not job]
            if job is not self.suspect or not has_to_run_alone(job) or min(others, default=FRESH) >= FRESH:
                self.runs[job] = now
                self.worker.mark(job)


class Machines:
    """Processes that are started again when they die."""

    def __init__(self, store: Store, *, processes: int, places: int, fatal_after: int = LENGTH) -> None:
        self.store = store
        self._places = places
        self._fatal_after = fatal_after
        self.processes = [self._start() for _ in range(processes)]
        self.deaths = 0

    def _start(self) -> Process:
        return Process(self.store.a_worker(), self._places)

    def running(self) -> int:
        return sum(started is not None for process in self.processes for started in process.runs.values())

    def step(self) -> None:
        now = self.store.clock()
        for index, process in enumerate(self.processes):
            if any(job.id == POISON and process.age(job, now) >= self._fatal_after for job in process.runs):
                self.lose(index)
            else:
                process.step(now)
        self.store.advance(STEP)
        self.store.rescue()

    def lose(self, index: int) -> None:
        """The process is gone; its jobs are, once its lease is over."""
        self.deaths += 1
        self.processes[index] = self._start()

    def run_until_done(self, *, within: int) -> None:
        for _ in range(within // MINUTE):
            if not any(self._unfinished()):
                return
            for _ in range(MINUTE // STEP):
                self.step()
        raise AssertionError("jobs are left")

    def _unfinished(self) -> list[int]:
        counts = self.store.run(queries.counts())
        return [number for of_queue in counts.values() for state, number in of_queue.items() if state not in FINISHED]


def ended(store: Store, count: int) -> list[JobRecord]:
    return [store.job(f"long-{number}") for number in range(count)]


def test_the_long_jobs_of_a_lost_machine_run_side_by_side_again(store: Store) -> None:
    """F3: within a quarter of an hour, though each had run for nearly half an hour."""
    store.enqueue(*(new_job(f"long-{number}", attempts=10) for number in range(50)))
    machines = Machines(store, processes=1, places=50)
    for _ in range(25 * MINUTE // STEP):
        machines.step()
    machines.lose(0)
    for _ in range(15 * MINUTE // STEP):
        machines.step()
    assert machines.running() == 50
    machines.run_until_done(within=2 * LENGTH)
    assert {(job.state, job.attempt) for job in ended(store, 50)} == {(State.COMPLETED, 2)}


@pytest.mark.parametrize(("position", "processes"), [(0, 1), (11, 2)])
@pytest.mark.parametrize("fatal_after", [0, 20 * SECOND, 10 * MINUTE])
def test_a_poison_among_long_jobs_falls_alone_however_late_it_dies(
    store: Store, fatal_after: int, position: int, processes: int
) -> None:
    """F3: long jobs that died with it complete, and pay for one death at the most."""
    jobs = [new_job(f"long-{number}", attempts=10) for number in range(12)]
    store.enqueue(*jobs[:position], new_job(POISON, attempts=10), *jobs[position:])
    machines = Machines(store, processes=processes, places=20, fatal_after=fatal_after)
    machines.run_until_done(within=24 * 60 * MINUTE)
    assert (store.job(POISON).state, store.job(POISON).reason) == (State.FAILED, "crashed")
    assert {job.state for job in ended(store, 12)} == {State.COMPLETED}
    assert max(job.attempt for job in ended(store, 12)) <= 2
    assert machines.deaths <= 5
