"""The tasks of the demo, as an application would write them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from windlass import clock
from windlass.active import ActiveJob, current_job
from windlass.app import Windlass
from windlass.core.retry import Retry
from windlass.core.unique import Unique
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
