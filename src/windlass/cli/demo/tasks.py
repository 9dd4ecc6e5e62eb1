"""The tasks and jobs of the demo, as an application would write them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from windlass import clock
from windlass.active_job import ActiveJob, current_job
from windlass.app import Windlass
from windlass.core.retry import Retry
from windlass.core.unique import Unique
from windlass.job import Job
from windlass.task import Task


@dataclass(frozen=True, slots=True)
class Tasks:
    """What the demo can enqueue."""

    fetch: Task[[int], str]
    resize: Task[[int], str]
    report: Task[..., str]
    charge: Task[[int], str]
    load: Task[[str], None]
    remind: Task[[str], str]
    receipt: Task[[int], str]
    noop: Task[[int], None]


def declare(app: Windlass) -> Tasks:
    """Register the tasks with an app."""

    @app.task(name="fetch")
    async def fetch(page: int) -> str:
        await asyncio.sleep(0.9)  # noqa: TID251  # the demo plays an application, which sleeps as it likes
        return f"page {page}: 200 OK"

    @app.task(name="resize")
    def resize(photo: int) -> str:
        clock.sleep(0.7)
        return f"photo-{photo}-small.jpg"

    @app.task(name="report")
    def report(rows: int, job: ActiveJob) -> str:
        for row in range(1, rows + 1):
            clock.sleep(0.08)
            job.progress(row / rows, f"row {row} of {rows}")
        return f"{rows} rows"

    @app.task(name="charge", retry=Retry(attempts=3, base=1, jitter=0))
    async def charge(order: int) -> str:
        await asyncio.sleep(0.4)  # noqa: TID251
        if current_job().attempt == 1:
            raise ConnectionError("the bank does not answer")
        return f"order {order} is paid"

    @app.task(name="load", retry=Retry(attempts=2, base=0.8, jitter=0))
    def load(file: str) -> None:
        clock.sleep(0.1)
        raise ValueError(f"{file}, line 3: 'twelve' is not a number")

    @app.task(name="remind")
    def remind(text: str) -> str:
        return text

    @app.task(name="receipt", unique=Unique(by=("order",)))
    def receipt(order: int) -> str:
        clock.sleep(0.2)
        return f"receipt-{order}.pdf"

    @app.task(name="noop")
    async def noop(number: int) -> None:
        pass

    return Tasks(fetch, resize, report, charge, load, remind, receipt, noop)


@dataclass(frozen=True, slots=True)
class Role:
    """One job of the demo and its name on the screen."""

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
