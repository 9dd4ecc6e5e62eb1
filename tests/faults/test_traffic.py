"""Limits and concurrency keys while real workers are killed, paused beyond their lease, and started again.

In the suite for a few seconds on one server; ``make traffic`` runs it for two minutes on each.
"""

from __future__ import annotations

import os
import signal
from random import Random
from time import monotonic
from typing import Any

import pytest

from tests.faults.names import NAP
from tests.faults.process import Process, Processes
from tests.faults.runs_at_once import most_at_once, most_of_each, recorded_runs
from tests.places.place import Place
from tests.places.raw_store import RawStore
from tests.waiting import eventually
from windlass import Job, State, Windlass
from windlass.core.state import WAITING
from windlass.store.operations.limits.concurrency import mend_keys
from windlass.store.operations.queues import mend_counters
from windlass.task import Request

SHORT = 6.0
LONG = float(os.environ.get("WINDLASS_TRAFFIC_SECONDS", "0"))
WORKERS = 3
OF_QUEUE, OF_ALL, KEYS = 3, 5, 6
BACKLOG = 40


class Traffic:
    """Jobs that wait all the time, and workers that are struck while they hold some."""

    def __init__(self, app: Windlass, processes: Processes, *, seed: int) -> None:
        self._app = app
        self._processes = processes
        self._draw = Random(seed)
        self._started = 0
        self.jobs: list[Job[Any]] = []
        self._workers = [self._start() for _ in range(WORKERS)]

    def run(self, seconds: float) -> None:
        """One fault after the other for so long; then all jobs end."""
        until = monotonic() + seconds
        while monotonic() < until:
            self._draw.choice((self._kill, self._pause))(self._draw.randrange(WORKERS))
        eventually(lambda: self._count(*WAITING, State.RUNNING) == 0, "all jobs have ended")

    def _kill(self, place: int) -> None:
        """kill -9; another worker takes its place."""
        self._frozen(place).kill()
        self._workers[place] = self._start()

    def _pause(self, place: int) -> None:
        """Stop a worker until others may have its jobs, and wake it."""
        process = self._frozen(place)
        name, _ = self._workers[place]
        eventually(lambda: self._feed() and name not in self._alive(), f"{name} is lost")
        process.signal(signal.SIGCONT)

    def _frozen(self, place: int) -> Process:
        """A worker that is stopped in the middle of a run."""
        name, process = self._workers[place]

        def holds_a_job() -> bool:
            self._feed()
            process.freeze()
            is_so = any(str(job.worker).startswith(f"{name}-") for job in self._app.jobs(state=State.RUNNING))
            if not is_so:
                process.signal(signal.SIGCONT)
            return is_so

        eventually(holds_a_job, f"{name} runs a job")
        return process

    def _start(self) -> tuple[str, Process]:
        self._started += 1
        name = f"w{self._started}"
        options: dict[str, Any] = {"queues": ["default", "other"], "concurrency": 4, "lease": "1s", "name": name}
        return name, self._processes.worker(**options)

    def _feed(self) -> bool:
        if self._count(*WAITING) < BACKLOG:
            self.jobs += self._app.enqueue_many([self._request() for _ in range(BACKLOG)])
        return True

    def _request(self) -> Request:
        draw = self._draw
        key, queue = f"user-{draw.randrange(KEYS)}", draw.choice(("default", "other"))
        return self._app.request(NAP, (draw.uniform(0.02, 0.1),), queue=queue, concurrency_key=key)

    def _count(self, *states: State) -> int:
        counts = self._app.counts()
        return sum(counts[state] for state in states)

    def _alive(self) -> set[str]:
        return {worker.name.partition("-")[0] for worker in self._app.workers() if worker.is_alive}


def check(app: Windlass, place: Place, jobs: list[Job[Any]]) -> None:
    """By the jobs' own records no limit was exceeded at any instant, and nothing is left of keys that are idle."""
    runs = recorded_runs(jobs)
    assert {job.state for job in jobs} <= {State.COMPLETED, State.FAILED}
    assert {job.reason for job in jobs if job.state is State.FAILED} <= {"crashed"}
    assert most_at_once(runs) <= OF_ALL
    assert most_of_each(runs, lambda job: job.queue)["default"] <= OF_QUEUE
    assert set(most_of_each(runs, lambda job: job.concurrency_key).values()) == {1}
    assert len(runs) > len(jobs), "no run was lost: nothing was tried"
    assert (app.client.session.run(mend_counters()), app.client.session.run(mend_keys())) == ([], [])
    assert app.busy_keys() == []
    assert RawStore(place).left_of_concurrency_keys() == []


def strike(app: Windlass, place: Place, processes: Processes, *, seconds: float, seed: int) -> None:
    app.queue("default").configure(max_running=OF_QUEUE)
    app.configure(max_running=OF_ALL)
    traffic = Traffic(app, processes, seed=seed)
    traffic.run(seconds)
    check(app, place, traffic.jobs)


@pytest.mark.only_on("postgres")
def test_limits_and_keys_hold_while_workers_are_killed_and_paused(
    app: Windlass, place: Place, processes: Processes
) -> None:
    """C3, E4: of the queue, of the app, and of each key."""
    strike(app, place, processes, seconds=SHORT, seed=20_261_116)


@pytest.mark.skipif(not LONG, reason="takes minutes: `make traffic`")
@pytest.mark.timeout(LONG + 300)
@pytest.mark.only_on("postgres", "redis")
def test_limits_and_keys_hold_for_minutes(app: Windlass, place: Place, processes: Processes) -> None:
    """C3, E4: the same with other faults in every run."""
    seed = Random().randrange(10**9)
    print(f"seed {seed}")
    strike(app, place, processes, seconds=LONG, seed=seed)
