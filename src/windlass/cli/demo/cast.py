"""Who plays: the jobs of the story."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from windlass.cli.demo.tasks import Tasks
from windlass.job import Job
from windlass.task import Task


@dataclass(frozen=True, slots=True)
class Role:
    """One job, and what people call it."""

    name: str
    runs: str
    """Where its function runs: on the event loop or in a thread."""
    job: Job[Any]

    def now(self, job: Job[Any]) -> Role:
        """The same role with the job as it is now."""
        return replace(self, job=job)


def enqueue_cast(tasks: Tasks) -> list[Role]:
    """Enqueue every job of the story: three kinds, priorities, one delayed, one unique and asked for twice."""
    cast = [
        _role("report", tasks.report, tasks.report.enqueue(50)),
        _role("resize photo 1", tasks.resize, tasks.resize.options(priority=-5).enqueue(1)),
        _role("resize photo 2", tasks.resize, tasks.resize.enqueue(2)),
        _role("resize photo 3", tasks.resize, tasks.resize.options(priority=9).enqueue(3)),
        _role("fetch page 1", tasks.fetch, tasks.fetch.enqueue(1)),
        _role("fetch page 2", tasks.fetch, tasks.fetch.enqueue(2)),
        _role("charge order 7", tasks.charge, tasks.charge.options(priority=5).enqueue(7)),
        _role("load prices.csv", tasks.load, tasks.load.enqueue("prices.csv")),
        _role("receipt for 7", tasks.receipt, tasks.receipt.enqueue(7)),
        _role("remind in 3 s", tasks.remind, tasks.remind.options(delay="3s").enqueue("water the plants")),
    ]
    again = tasks.receipt.enqueue(7)
    assert again.duplicate, "the unique job was made twice"
    return cast


def _role(name: str, task: Task[..., Any], job: Job[Any]) -> Role:
    return Role(name, "event loop" if task.is_async else "thread", job)
