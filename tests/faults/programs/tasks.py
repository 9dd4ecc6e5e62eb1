"""The app that worker and producer processes share."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from threading import Event

from windlass import Windlass, current_job

app = Windlass(os.environ["WINDLASS_URL"])


def say(*words: object) -> None:
    """Tell the test; whole lines, also from many threads."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def _begin() -> Path:
    """Say that a run has begun; the file that lets it go on."""
    job = current_job()
    say("began", job.id, job.fence)
    return Path(os.environ["GATES"]) / f"{job.id}.{job.fence}"


@app.task
def hold() -> int:
    """Runs until its gate is there."""
    gate, pause = _begin(), Event()
    while not gate.exists():
        pause.wait(0.01)
    return current_job().fence


@app.task
async def ahold() -> int:
    """The same on the event loop."""
    gate = _begin()
    while not gate.exists():  # noqa: ASYNC110  # what it waits for is another process
        await asyncio.sleep(0.01)
    return current_job().fence


@app.task
async def block_a_thread() -> None:
    """Waits for ever in a thread that the event loop gave it."""
    _begin()
    await asyncio.to_thread(Event().wait)


@app.task
def poison() -> None:
    """Takes its process down once the store knows that it has started."""
    job, pause = current_job(), Event()
    while app.job(job.id).started_at is None:
        pause.wait(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


@app.task
def sudden_poison() -> None:
    """Takes its process down at once."""
    os.kill(os.getpid(), signal.SIGKILL)


@app.task
def note(number: int) -> int:
    return number
