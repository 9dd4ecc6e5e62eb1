"""What children are given to do. The app stands on no store: a child never asks one."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from windlass import ActiveJob, Windlass, current_job

app = Windlass("sqlite:///:memory:")


def isolated(app: Windlass) -> None:
    """Declare the tasks for another app, as a program does that names its store elsewhere."""
    for task in list(globals()["app"].tasks):
        app.task(name=task.name, isolation="process")(task.function)


@app.task(name="where", isolation="process")
def where() -> tuple[int, int]:
    return os.getpid(), os.getppid()


@app.task(name="awhere", isolation="process")
async def awhere() -> int:
    await asyncio.sleep(0)
    return os.getpid()


@app.task(name="echo", isolation="process")
def echo(value: object) -> object:
    return value


@app.task(name="broken", isolation="process")
def broken(text: str) -> None:
    raise ValueError(text)


@app.task(name="kill", isolation="process")
def kill(number: int) -> None:
    os.kill(os.getpid(), number)
    signal.pause()


@app.task(name="leave", isolation="process")
def leave(code: int) -> None:
    os._exit(code)


@app.task(name="wait_for", isolation="process")
def wait_for(file: str, cleaned: str = "") -> str:
    """Runs until the file is there; leaves word when it is interrupted."""
    Path(file + ".begun").touch()
    try:
        while not Path(file).exists():
            time.sleep(0.005)
    finally:
        if cleaned:
            Path(cleaned).touch()
    return "there"


@app.task(name="deaf", isolation="process")
def deaf(file: str) -> None:
    """Will not stop for anything but SIGKILL."""
    Path(file + ".begun").touch()
    while True:
        with suppress(BaseException):
            time.sleep(0.05)


@app.task(name="facts", isolation="process")
def facts(*, job: ActiveJob) -> dict[str, object]:
    current_job().progress(0.5, "half way")
    return {"id": job.id, "attempt": job.attempt, "fence": job.fence, "meta": job.meta, "same": job is current_job()}


@app.task(name="leak", isolation="process")
def leak(megabytes: int) -> int:
    _leaked.append(b"x" * megabytes * 2**20)
    return os.getpid()


_leaked: list[bytes] = []
