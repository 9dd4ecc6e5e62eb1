"""The app whose tasks the rack's workers run: ``windlass worker -A tests.torture.tasks``.

Every run leaves a line when it begins and one when it ends, and returns the fence under which it ran.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from threading import Event, Thread
from typing import Any, ParamSpec

from tests.torture.diagnosis import answer_in
from tests.torture.enqueue import Asking
from tests.torture.mutants import plant
from tests.torture.witness import Alive, Began, Dying, Ended, Witness, now
from tests.torture.workload import KEYED
from windlass import Retry, Snooze, Windlass, current_job

P = ParamSpec("P")
Answer = dict[str, Any]

PULSE = 0.5
"""Seconds between two signs of life of a process."""

log = logging.getLogger("torture")
plant(os.environ.get("TORTURE_MUTANT"))
folder = Path(os.environ["TORTURE_FOLDER"])
answer_in(folder)
witness = Witness(folder)
app = Windlass(
    os.environ["WINDLASS_URL"],
    namespace=os.environ["NAMESPACE"],
    include=["tests.torture.traffic.tasks", "tests.torture.flows.tasks", "tests.torture.leases.tasks"],
    retry=Retry(attempts=10, base=0.2, factor=1.0),
)
asking = Asking(app, witness)


def _pulse() -> None:
    pause = Event()
    while True:
        witness.write(Alive(os.getpid(), os.getppid(), now()))
        pause.wait(PULSE)


Thread(target=_pulse, name="torture-pulse", daemon=True).start()


def _began() -> tuple[str, int]:
    job = current_job()
    witness.write(Began(job.id, job.fence, job.attempt, os.getpid(), now()))
    return job.id, job.fence


def _ended(run: tuple[str, int], how: str) -> None:
    witness.write(Ended(*run, os.getpid(), now(), how))


def witnessed(function: Callable[P, object]) -> Callable[P, Answer]:
    """A task in a thread or child that leaves its lines."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> Answer:
        of, how = _began(), "interrupted"
        try:
            value = function(*args, **kwargs)
            how = "returned"
            return {"fence": of[1], "value": value}
        except BaseException as error:
            how = type(error).__name__
            raise
        finally:
            _ended(of, how)

    run.__annotations__["return"] = Answer
    return run


def awitnessed(function: Callable[P, Coroutine[Any, Any, object]]) -> Callable[P, Coroutine[Any, Any, Answer]]:
    """The same for a coroutine."""

    @wraps(function)
    async def run(*args: P.args, **kwargs: P.kwargs) -> Answer:
        of, how = _began(), "interrupted"
        try:
            value = await function(*args, **kwargs)
            how = "returned"
            return {"fence": of[1], "value": value}
        except BaseException as error:
            how = type(error).__name__
            raise
        finally:
            _ended(of, how)

    run.__annotations__["return"] = Answer
    return run


@app.task(name="quick")
@witnessed
def quick(number: int) -> object:
    return number


@app.task(name="aquick")
@awitnessed
async def aquick(number: int) -> object:
    return number


@app.task(name="iquick", isolation="process")
@witnessed
def iquick(number: int) -> object:
    return number


@app.task(name="brief", queue="brief")
@witnessed
def brief(number: int) -> object:
    """Its queue keeps only a few finished jobs."""
    return number


def _work(seconds: float) -> float:
    """Log, report progress, take a while."""
    pause, job = Event(), current_job()
    steps = max(1, round(seconds / 0.1))
    for step in range(steps):
        job.progress(step / steps, f"fence {job.fence}")
        log.info("%s: step %d of %d", job.id, step, steps)
        pause.wait(0.1)
    return seconds


@app.task(name="slow")
@witnessed
def slow(seconds: float) -> object:
    return _work(seconds)


@app.task(name="islow", isolation="process")
@witnessed
def islow(seconds: float) -> object:
    return _work(seconds)


@app.task(name="aslow")
@awitnessed
async def aslow(seconds: float) -> object:
    job = current_job()
    await job.aprogress(0.0, f"fence {job.fence}")
    await asyncio.sleep(seconds)
    await job.aprogress(1.0, f"fence {job.fence}")
    return seconds


@app.task(name="long")
@witnessed
def long(seconds: float) -> object:
    """Asks nobody whether it may go on: after a pause of its process it returns at once, whatever came meanwhile."""
    until, pause = now() + seconds, Event()
    while now() < until:
        pause.wait(0.2)
    return seconds


@app.task(name="along")
@awitnessed
async def along(seconds: float) -> object:
    await asyncio.sleep(seconds)
    return seconds


@app.task(name="large")
@witnessed
def large(text: str) -> object:
    """A large payload, and a large result."""
    return text


@app.task(name="failing", retry=Retry(attempts=3, base=0.2, factor=1.0))
@witnessed
def failing(times: int, after: float) -> object:
    """Raises in its first runs."""
    Event().wait(after)
    if current_job().attempt <= times:
        raise ValueError("as it was told " + "x" * 5_000)
    return times


@app.task(name="once", retry=Retry(attempts=1))
@witnessed
def once(seconds: float) -> object:
    """May run once only."""
    return _work(seconds)


@app.task(name="snoozing")
@witnessed
def snoozing(until: float) -> object:
    """Comes back until the time, by the clock of the machine that does not jump."""
    Event().wait(0.1)
    if now() < until:
        raise Snooze(0.2)
    return until


@app.task(name="unique", unique=KEYED["unique"])
@witnessed
def unique(number: int) -> object:
    return _work(0.3)


@app.task(name="started", unique=KEYED["started"])
@witnessed
def started(number: int) -> object:
    """The key is given back when it begins; the higher its number, the more comes while it is still at work."""
    return _work(0.3 + 0.4 * number)


def _children(number: int) -> list[Any]:
    job = current_job()
    tasks = [quick, aquick, iquick]
    requests = [
        app.request(task, (number,), id=f"{task.name}-of-{job.id}-{job.fence}-{index}")
        for index, task in enumerate(tasks)
    ]
    return asking.enqueue(requests) or []


@app.task(name="parent")
@witnessed
def parent(number: int) -> object:
    """Enqueues jobs and waits for them."""
    children = _children(number)
    for child in children:
        asking.wait(child, seconds=2)
    return len(children)


@app.task(name="iparent", isolation="process")
@witnessed
def iparent(number: int) -> object:
    """The same from a child process."""
    return len(_children(number))


def _be_busy() -> None:
    """Call the store, log and report progress without end: an interrupt may strike in any of it."""
    job, number = current_job(), 0
    while True:
        number += 1
        job.progress(0.5, f"fence {job.fence}")
        log.info("%s: still busy, %d", job.id, number)
        asking.enqueue([app.request(quick, (number,), id=f"quick-of-{job.id}-{job.fence}-{number}")])
        app.job(job.id)
        if number >= 20:
            Event().wait(0.05)


_LIMITED: Any = {"timeout": 0.4, "retry": Retry(attempts=2, base=0.2)}


@app.task(name="limited", **_LIMITED)
@witnessed
def limited() -> None:
    """Runs into its time limit, wherever it is."""
    _be_busy()


@app.task(name="ilimited", isolation="process", **_LIMITED)
@witnessed
def ilimited() -> None:
    _be_busy()


@app.task(name="tired", **_LIMITED)
@witnessed
def tired() -> None:
    """Runs into its time limit in code of its own, and asks nothing of the store."""
    job, number = current_job(), 0
    while True:
        number += 1
        log.info("%s: tired of %d", job.id, number)
        sum(range(100_000))


@app.task(name="alimited", **_LIMITED)
@awitnessed
async def alimited() -> object:
    job, number = current_job(), 0
    while True:
        number += 1
        await job.aprogress(0.5, f"fence {job.fence}")
        await app.ajob(job.id)
        await asyncio.sleep(0.02)


def _die(after: float, how: int) -> None:
    Event().wait(after)
    job = current_job()
    witness.write(Dying(job.id, job.fence, os.getpid(), now()))
    if how:
        os.kill(os.getpid(), how)
    os._exit(1)


@app.task(name="poison")
@witnessed
def poison(after: float, how: int) -> None:
    """Takes its worker's process down, every time."""
    _die(after, how)


@app.task(name="ipoison", isolation="process")
@witnessed
def ipoison(after: float, how: int) -> None:
    """Takes its child process down, every time."""
    _die(after, how)
