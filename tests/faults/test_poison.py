"""Jobs that kill their process: each falls alone, whatever its timing and whatever runs beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from threading import Event
from time import monotonic

import pytest

from tests.faults.names import LOOP_NAP, LOOP_VENOM, NAP, NATIVE_VENOM, VENOM
from tests.faults.process import Processes
from tests.places.behind import Behind
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
    "after 700 ms": Scene(VENOM, "exit", 0.7, concurrency=50, seconds=(0.0, 0.1, 1.5), innocents=60),
    "by memory, on the loop": Scene(LOOP_VENOM, "memory", 0.1, concurrency=10, innocent=LOOP_NAP),
    "two at once": Scene(VENOM, "exit", 0.2, concurrency=10, seconds=(0.0, 0.4), poisons=(3, 4)),
    "one after the other": Scene(VENOM, "exit", 0.2, concurrency=5, poisons=(3, 20)),
}


def enqueue(app: Windlass, scene: Scene) -> tuple[list[Job[object]], list[Job[object]]]:
    """The poisons and the innocent jobs, in one queue."""
    seconds = [scene.seconds[number % len(scene.seconds)] for number in range(scene.innocents)]
    requests = [app.request(scene.innocent, (length,)) for length in seconds]
    for place in scene.poisons:
        requests.insert(place, app.request(scene.task, (scene.how, scene.after)))
    jobs = app.enqueue_many(requests)
    poisons = [jobs[place] for place in sorted(scene.poisons)]
    return poisons, [job for job in jobs if job not in poisons]


def deaths_until_done(app: Windlass, behind: Behind, processes: Processes, scene: Scene, total: int) -> int:
    """Start one worker after the other until all jobs are done; how many died. Leases end with their owners."""

    def is_done() -> bool:
        counts = app.counts()
        return counts[State.COMPLETED] + counts[State.FAILED] == total

    deaths = 0
    while True:
        options = {"lease": "600s", "concurrency": scene.concurrency}
        worker = processes.start("worker", json.dumps(options))
        until, pause = monotonic() + SETTLED, Event()
        while not (worker.is_over or is_done()):
            assert monotonic() < until, f"it neither dies nor ends all jobs: {app.counts()}"
            pause.wait(0.05)
        if is_done():
            worker.kill()
            return deaths
        deaths += 1
        assert deaths <= 3 * len(scene.poisons), "a poison dies three times at the most"
        behind.forget_leases()
        app.rescue()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SCENES)
def test_a_poison_falls_alone(app: Windlass, behind: Behind, processes: Processes, name: str) -> None:
    """F3: after three deaths at the most, which its history tells; innocent jobs complete and pay once at the most."""
    scene = SCENES[name]
    poisons, innocents = enqueue(app, scene)
    deaths_until_done(app, behind, processes, scene, len(poisons) + len(innocents))
    for job in poisons:
        assert (job.refresh().state, job.reason) == (State.FAILED, "crashed")
        assert 2 <= [entry.kind for entry in job.timeline()].count("rescued") <= 3
        assert {error.type for error in job.errors} == {"windlass.LeaseLost"}
    for job in innocents:
        assert job.refresh().state == State.COMPLETED
        assert job.attempt <= 2, "one run that was charged, and the one that returned"
