"""A task that the worker has learned to fetch ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.ledger.apps import Gate
from tests.waiting import eventually
from windlass import Job, Windlass, current_job
from windlass.task import Task
from windlass.worker.worker import Worker

_ENOUGH = 40
"""More runs than it takes to trust a measured pace."""


@dataclass(frozen=True)
class Learned:
    """A task of no duration, and gates at which named jobs of it wait all the same."""

    task: Task[..., None]
    gates: dict[str, Gate]
    ran: list[str]
    """Ids of jobs in the order in which their runs began."""


def learned(app: Windlass, gates: dict[str, Gate], **options: Any) -> Learned:
    """A task for ``teach``; a job whose id has a gate waits there."""
    ran: list[str] = []

    def note(number: int = 0) -> None:
        id = current_job().id
        ran.append(id)
        if id in gates:
            gates[id].wait()

    return Learned(app.task(name="note", **options)(note), gates, ran)


def teach(worker: Worker, task: Learned) -> None:
    """Let the worker see that the task is quick."""
    task.task.enqueue_many([(number,) for number in range(_ENOUGH)])
    eventually(lambda: len(task.ran) >= _ENOUGH and worker.status().state == "idle", "the worker learns")
    task.ran.clear()


def enqueue_behind(app: Windlass, task: Learned, ids: list[str], **options: Any) -> list[Job[Any]]:
    """Jobs with these ids, in one call, so that one cycle sees all of them."""
    return app.enqueue_many([task.task.options(id=id, **options).request() for id in ids])


def all_are(jobs: list[Job[Any]], state: str) -> Callable[[], bool]:
    return lambda: all(job.refresh().state == state for job in jobs)
