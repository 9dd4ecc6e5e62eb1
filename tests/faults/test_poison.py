"""Jobs that kill their process: each falls alone, whatever its timing and whatever runs beside it."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from threading import Event
from time import monotonic

import pytest

from tests.faults.names import LOOP_NAP, LOOP_VENOM, NAP, NATIVE_VENOM, VENOM
from tests.faults.process import Process, Processes
from tests.places.raw_store import RawStore
from windlass import Job, State, Windlass

SETTLED = 120.0
"""How many seconds a worker may take until it has died or has nothing left, on a machine that is busy."""


@dataclass(frozen=True)
class Scene:
    """One or more poisons among innocent jobs."""

    task: str
    how: str
    after: float
    concurrency: int
    innocent: str = NAP
    seconds: tuple[float, ...] = (0.0, 0.3)
    """How long the innocent jobs run, in turns."""
    innocents: int = 30
    poisons: tuple[int, ...] = (5,)
    """The places of the poisons in the queue."""


SCENES = {
    "at once": Scene(VENOM, "exit", 0.0, concurrency=10),
    "at once, prefetched neighbours": Scene(
        VENOM, "kill", 0.0, concurrency=1, seconds=(0.0,), innocents=80, poisons=(60,)
    ),
    "after 30 ms, interpreter held": Scene(NATIVE_VENOM, "segfault", 0.03, concurrency=10),
    # Six run longer than the poison: suspects run one after the other.
    "after 700 ms": Scene(VENOM, "exit", 0.7, concurrency=50, seconds=(0.0, 0.1) * 4 + (1.0,), innocents=60),
    "by memory, on the loop": Scene(LOOP_VENOM, "memory", 0.1, concurrency=10, innocent=LOOP_NAP),
    "two at once": Scene(VENOM, "exit", 0.2, concurrency=10, seconds=(0.0, 0.4), poisons=(3, 4)),
    "one after the other": Scene(VENOM, "exit", 0.2, concurrency=5, poisons=(3, 20)),
}
LONG = Scene(VENOM, "exit", 0.3, concurrency=10, seconds=(0.0, 0.0, 0.0, 5.0), innocents=12)
"""Innocent jobs of 5 s, which three deaths interrupt."""


def enqueue(app: Windlass, scene: Scene) -> tuple[list[Job[object]], list[Job[object]]]:
    """The poisons and the innocent jobs, in one queue."""
    seconds = [scene.seconds[number % len(scene.seconds)] for number in range(scene.innocents)]
    requests = [app.request(scene.innocent, (length,)) for length in seconds]
    for place in scene.poisons:
        requests.insert(place, app.request(scene.task, (scene.how, scene.after)))
    jobs = app.enqueue_many(requests)
    poisons = [jobs[place] for place in sorted(scene.poisons)]
    return poisons, [job for job in jobs if job not in poisons]


def is_done(app: Windlass) -> bool:
    counts = app.counts()
    return counts[State.COMPLETED] + counts[State.FAILED] == sum(counts.values())


def run_until_done(app: Windlass, raw_store: RawStore, processes: Processes, scene: Scene) -> None:
    """Start one worker after the other until all jobs are done. Leases end with their owners."""
    deaths = 0
    while True:
        options = {"lease": "600s", "concurrency": scene.concurrency}
        worker = processes.start("worker", json.dumps(options))
        await_done(app, or_end_of=worker)
        if is_done(app):
            worker.kill()
            return
        deaths += 1
        assert deaths <= 3 * len(scene.poisons), "a poison dies three times at the most"
        raw_store.forget_leases()
        app.rescue()


def await_done(app: Windlass, *, or_end_of: Process) -> None:
    until, pause = monotonic() + SETTLED, Event()
    while not (or_end_of.is_over or is_done(app)):
        assert monotonic() < until, f"it neither dies nor ends all jobs: {app.counts()}"
        pause.wait(0.05)


def assert_fell_alone(poisons: list[Job[object]], innocents: list[Job[object]], *, error: str) -> None:
    """After three deaths at the most, which its history tells; innocent jobs complete and pay once at the most."""
    for job in poisons:
        assert (job.refresh().state, job.reason) == (State.FAILED, "crashed")
        assert {each.type for each in job.errors} == {error}
        assert 2 <= len(job.errors) <= 3
    for job in innocents:
        assert job.refresh().state == State.COMPLETED
        assert job.attempt <= 2, "one run that was charged, and the one that returned"


@pytest.mark.timeout(300)
@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("name", SCENES)
def test_a_poison_falls_alone(app: Windlass, raw_store: RawStore, processes: Processes, name: str) -> None:
    """F3: whatever its timing, and however many there are. What a store decides of suspects is in tests/store."""
    poisons, innocents = enqueue(app, SCENES[name])
    run_until_done(app, raw_store, processes, SCENES[name])
    assert_fell_alone(poisons, innocents, error="windlass.LeaseLost")


@pytest.mark.timeout(300)
@pytest.mark.only_on("sqlite")
def test_long_jobs_beside_a_poison_complete(app: Windlass, raw_store: RawStore, processes: Processes) -> None:
    """F3: also those that each death of the poison interrupts."""
    poisons, innocents = enqueue(app, LONG)
    run_until_done(app, raw_store, processes, LONG)
    assert_fell_alone(poisons, innocents, error="windlass.LeaseLost")


@pytest.mark.timeout(300)
@pytest.mark.only_on("sqlite")
def test_a_poison_falls_alone_under_a_supervisor(app: Windlass, processes: Processes) -> None:
    """F3: whose processes run into their leases, one beside the other, and are started again."""
    poisons, innocents = enqueue(app, Scene(VENOM, "exit", 0.0, concurrency=10, seconds=(0.5,), poisons=(0,)))
    worker = processes.windlass("worker", "--processes=2", "--concurrency=10", "--lease=4s")
    await_done(app, or_end_of=worker)
    worker.signal(signal.SIGTERM)
    worker.exit_code()
    assert_fell_alone(poisons, innocents, error="windlass.LeaseLost")


@pytest.mark.timeout(300)
@pytest.mark.only_on("sqlite")
def test_a_poison_in_a_child_touches_no_job_in_a_thread(app: Windlass, processes: Processes) -> None:
    """F3: only its child dies with it; nothing beside it pays, or is put back."""
    poisons, innocents = enqueue(app, Scene("venom_in_child", "exit", 0.2, concurrency=5, seconds=(0.0, 0.5)))
    worker = processes.start("isolated", json.dumps({"children": 1, "concurrency": 5}))
    await_done(app, or_end_of=worker)
    assert not worker.is_over
    assert_fell_alone(poisons, innocents, error="windlass.ProcessDied")
    assert {job.attempt for job in innocents} == {1}
    assert {job.record.crashes + job.record.rescues for job in innocents} == {0}
