"""The app that worker and producer processes share."""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
from contextlib import suppress
from pathlib import Path
from threading import Event

from tests.ledger.apps import raises
from windlass import Results, Windlass, current_job

app = Windlass(
    os.environ["WINDLASS_URL"],
    namespace=os.environ["NAMESPACE"],
    store_deadline=f"{os.environ.get('STORE_DEADLINE', '5')}s",
)


def say(*words: object) -> None:
    """Tell the test; whole lines, also from many threads."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def _run() -> int:
    """How often the job's fence was raised."""
    return raises(current_job().fence)


def _begin() -> Path:
    """Say that a run has begun; the file that lets it go on."""
    id = current_job().id
    say("began", id, _run())
    return Path(os.environ["GATES"]) / f"{id}.{_run()}"


@app.task
def hold() -> int:
    """Runs until its gate is there."""
    gate, pause = _begin(), Event()
    while not gate.exists():
        pause.wait(0.01)
    return _run()


@app.task
def stepping() -> int:
    """Has one durable step, and returns which run has done it."""
    return current_job().step("once", _tell_step)


def _tell_step() -> int:
    say("stepped", _run())
    return _run()


@app.task
async def ahold() -> int:
    """The same on the event loop."""
    gate = _begin()
    while not gate.exists():  # noqa: ASYNC110  # what it waits for is another process
        await asyncio.sleep(0.01)
    return _run()


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


def _out_of_memory() -> None:
    """What a library in C does when it gets none."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    hoard = []
    try:
        while True:
            hoard.append(bytearray(64 << 20))
    except MemoryError:
        os.abort()


def die(how: str) -> None:
    match how:
        case "exit":
            os._exit(1)
        case "segfault":
            ctypes.string_at(0)
        case "memory":
            _out_of_memory()
        case _:
            os.kill(os.getpid(), signal.SIGKILL)


@app.task
def venom(how: str, after: float) -> None:
    """Takes its process down after so many seconds."""
    Event().wait(after)
    die(how)


@app.task
def native_venom(how: str, after: float) -> None:
    """The same in an extension that lets no other thread run meanwhile."""
    ctypes.PyDLL(None).usleep(int(after * 1e6))
    die(how)


@app.task
async def loop_venom(how: str, after: float) -> None:
    """The same on the event loop."""
    await asyncio.sleep(after)
    die(how)


@app.task
def nap(seconds: float) -> None:
    """An innocent job."""
    Event().wait(seconds)


@app.task
async def loop_nap(seconds: float) -> None:
    await asyncio.sleep(seconds)


@app.task
def sudden_poison() -> None:
    """Takes its process down at once."""
    os.kill(os.getpid(), signal.SIGKILL)


@app.task
def note(number: int) -> int:
    return number


@app.task
def record(number: int) -> str:
    """Leaves a line in a file for every run; what it returns can be recognised on the wire."""
    job = current_job()
    with (Path(os.environ["GATES"]) / "ran").open("a") as file:
        file.write(f"{job.id}\n")
    return f"recorded-{number}"


@app.task
def gather(results: Results) -> list[int]:
    """The callback of a group; leaves a line in a file for every run."""
    with (Path(os.environ["GATES"]) / "gathered").open("a") as file:
        file.write(f"{current_job().id}\n")
    return [len(results), sum(value is None for value in results)]


@app.task
def hold_the_interpreter(seconds: float) -> int:
    """The first run lets no other line of Python run for so long, as a careless extension does."""
    gate, pause = _begin(), Event()
    while not gate.exists():
        pause.wait(0.01)
    if _run() == 1:
        ctypes.PyDLL(None).usleep(ctypes.c_uint(round(seconds * 1_000_000)))
    return _run()


@app.task(timeout=0.1)
def deaf() -> None:
    """Will not stop for anything."""
    _begin()
    pause = Event()
    while True:
        with suppress(BaseException):
            pause.wait(0.01)
