"""What children are given to do. The app stands on no store: a child never asks one."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Thread
from types import FrameType

from tests.worker.forked_copies import end_copies
from windlass import ActiveJob, JobNotFound, JobTimeout, RetryableError, Windlass, current_job

app = Windlass("sqlite:///:memory:")


def isolated(app: Windlass) -> None:
    """Declare the tasks for another app, as a program does that names its store elsewhere."""
    for task in list(globals()["app"].tasks):
        app.task(
            name=task.name,
            isolation="process",
            recycle_after=task.settings.recycle_after,
            max_memory=task.settings.max_memory,
        )(task.function)


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


@app.task(name="cleans_up", isolation="process")
def cleans_up(file: str) -> None:
    """Runs until it is interrupted; a signal that was on its way meets it in its clean-up."""
    try:
        Path(file + ".begun").touch()
        while True:
            time.sleep(0.005)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        Path(file + ".cleaned").touch()


@app.task(name="counts_signals", isolation="process")
def counts_signals(file: str) -> None:
    """Runs until it is interrupted, and writes down how many signals that took."""
    handler, count = signal.getsignal(signal.SIGTERM), 0
    assert callable(handler)

    def counted(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        handler(number, frame)

    signal.signal(signal.SIGTERM, counted)
    try:
        while True:
            pass
    finally:
        Path(file).write_text(str(count))


@app.task(name="wait_for", isolation="process")
def wait_for(file: str, cleaned: str = "") -> str:
    """Runs until the file is there; leaves word when it is interrupted."""
    try:
        Path(file + ".begun").touch()  # from here on it may be interrupted
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


@app.task(name="odd", isolation="process")
def odd(name: str) -> None:
    raise _odd(name)


@app.task(name="aodd", isolation="process")
async def aodd(name: str) -> None:
    raise _odd(name)


def _odd(name: str) -> BaseException:
    from tests.worker.odd_exceptions import ODD  # not above: every child would import all drivers, which takes a second

    return ODD[name]


@app.task(name="extends", isolation="process")
def extends(*, job: ActiveJob) -> str:
    job.extend("1h")
    time.sleep(2.2)
    return "done"


@app.task(name="looks", isolation="process")
def looks(file: str, *, job: ActiveJob) -> str:
    """Stops by itself when it is asked to."""
    while not job.cancelled:
        Path(file).touch()
        time.sleep(0.005)
    return "looked"


@app.task(name="talk", isolation="process")
def talk(word: str) -> None:
    print("printed", word)
    print("on", "stderr", file=sys.stderr)
    logging.getLogger("shop.child").warning("logged %s", word)
    sys.stdout.write("not ended")
    raise ValueError(word)


_around: ContextVar[str] = ContextVar("around", default="no hook")


@app.around_run
def _remember(job: ActiveJob) -> Iterator[None]:
    _around.set(job.task)
    yield


@app.task(name="hooked", isolation="process")
def hooked() -> str:
    return _around.get()


@app.task(name="ahooked", isolation="process")
async def ahooked() -> str:
    await asyncio.sleep(0)
    return _around.get()


@app.task(name="sleeps", isolation="process")
async def sleeps(file: str) -> None:
    """Waits on its event loop, where nothing but a wake-up reaches it."""
    await asyncio.to_thread(Path(file).touch)
    await asyncio.sleep(3600)


_left_behind: ContextVar[str] = ContextVar("left_behind", default="nothing")


def _leave_a_mark() -> str:
    found = _left_behind.get()
    _left_behind.set("something")
    return found


@app.task(name="leaves_a_mark", isolation="process")
def leaves_a_mark() -> str:
    return _leave_a_mark()


@app.task(name="aleaves_a_mark", isolation="process")
async def aleaves_a_mark() -> str:
    return _leave_a_mark()


@app.task(name="recycled", isolation="process", recycle_after=2)
def recycled() -> int:
    return os.getpid()


@app.task(name="swollen", isolation="process", max_memory="150MB")
def swollen(megabytes: int) -> int:
    _leaked.append(b"x" * megabytes * 2**20)
    return os.getpid()


@app.task(name="unstorable", isolation="process")
def unstorable() -> object:
    return object()


@app.task(name="long_text", isolation="process")
def long_text(length: int) -> str:
    return "x" * length


@app.task(name="exits", isolation="process")
def exits() -> None:
    sys.exit("enough")


@app.task(name="closes_standard_files", isolation="process")
def closes_standard_files() -> None:
    for number in range(3):
        os.close(number)


@app.task(name="opens_a_file", isolation="process")
def opens_a_file(file: str) -> tuple[int, str]:
    """The number that a new file gets, and what is in it after something was printed."""
    with Path(file).open("w+") as opened:
        print("lost", flush=True)
        subprocess.run(["echo", "lost as well"], check=True)
        return opened.fileno(), Path(file).read_text()


@app.task(name="moves_away", isolation="process")
def moves_away(folder: str) -> str:
    """The folder it starts in; it ends in another one, which is gone then."""
    here = os.getcwd()
    gone = Path(folder) / "gone"
    gone.mkdir(exist_ok=True)
    os.chdir(gone)
    gone.rmdir()
    return here


@app.task(name="takes_over_signals", isolation="process")
def takes_over_signals() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@app.task(name="starts_processes", isolation="process")
def starts_processes() -> int:
    """A pool of its own, forked, as libraries do it."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return sum(pool.map(abs, [-1, -2, -3]))


@app.task(name="ends_copies", isolation="process")
def ends_copies(count: int) -> list[int]:
    return end_copies(count)


@app.task(name="returns_twice", isolation="process")
def returns_twice(file: str) -> int:
    """Forks, and both go on."""
    forked = os.fork()
    if forked:
        Path(file).write_text(str(forked))
    return os.getpid()


@app.task(name="forks_and_dies", isolation="process")
def forks_and_dies(file: str) -> None:
    """Dies while a process that it forked lives on, with a copy of everything that was open."""
    forked = os.fork()
    if forked == 0:
        os.setsid()
        signal.alarm(60)
        signal.pause()
    Path(file).write_text(str(forked))
    os.kill(os.getpid(), signal.SIGKILL)


class Alarm(Exception):
    """Raised by a signal handler of the task's own."""


def _ring(*_: object) -> None:
    raise Alarm


@app.task(name="reports_under_alarms", isolation="process")
def reports_under_alarms(times: int, *, job: ActiveJob) -> str:
    """Reports progress while its own alarms go off."""
    signal.signal(signal.SIGALRM, _ring)
    rung = 0
    while rung < times:
        try:
            signal.setitimer(signal.ITIMER_REAL, random.uniform(0.00002, 0.002))
            while True:
                job.progress(0.5, "x" * 100_000)  # more than a pipe takes at once
        except Alarm:
            rung += 1
    return "rung"


@app.task(name="leaves_an_alarm", isolation="process")
def leaves_an_alarm(seconds: float) -> int:
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    return os.getpid()


@app.task(name="has_an_alarm", isolation="process")
def has_an_alarm() -> tuple[int, bool]:
    return os.getpid(), signal.getitimer(signal.ITIMER_REAL)[0] > 0


@app.task(name="forks_from_threads", isolation="process")
def forks_from_threads(times: int) -> int:
    """From threads, while others hold all kinds of locks; how many of the forked could still log and import."""

    def fork() -> None:
        for _ in range(times):
            forked = os.fork()
            if forked == 0:
                os._exit(0)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]))

    def log() -> None:
        while threads[0].is_alive():
            logging.getLogger("shop.child").debug("busy")

    codes: list[int] = []
    threads = [Thread(target=fork), Thread(target=fork), Thread(target=log)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return codes.count(0)


@app.task(name="swallows_memory", isolation="process")
def swallows_memory() -> int:
    """More than it may have; Python says so by an exception."""
    _limit_memory()
    return len(b"x" * (1 << 40))


@app.task(name="writes_to_nowhere", isolation="process")
def writes_to_nowhere() -> None:
    """More than it may have; C code that does not look whether it got it."""
    _limit_memory()
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    ctypes.memset(libc.malloc(ctypes.c_size_t(1 << 40)) or 0, 1, 1)


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))


@app.task(name="starts_a_program", isolation="process")
def starts_a_program(file: str) -> None:
    """Waits for a program that never ends."""
    program = subprocess.Popen(["sleep", "3600"])
    Path(file).write_text(str(program.pid))
    while program.poll() is None:
        with suppress(BaseException):
            time.sleep(0.01)


def undecorated(number: int) -> int:
    """A plain function; an app elsewhere makes a task of it."""
    return number + os.getpid()


@app.task(name="chat", isolation="process", keep_log=True)
def chat(word: str) -> str:
    print("printed", word)
    return word


@app.task(name="last_words", isolation="process")
def last_words(end: str) -> None:
    for number in range(1000):
        print("line", number, "." * 40)
    logging.getLogger("shop.child").warning("the end")
    if end == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    while True:
        with suppress(BaseException):
            time.sleep(0.05)


@app.task(name="tells_all", isolation="process")
def tells_all(times: int) -> None:
    for step in range(times):
        current_job().progress((step + 1) / times, f"step {step + 1}")


_stores: dict[str, Windlass] = {}


@app.task(name="busy_with_store", isolation="process")
def busy_with_store(url: str, namespace: str, witness: str, seed: int) -> None:
    """Use the store, log, report progress and take a lock until it is interrupted; what was stored is written down."""
    draw, job = random.Random(seed), current_job()
    if url not in _stores:
        _stores[url] = Windlass(url, namespace=namespace)
        _stores[url].task(name="noop", queue="rest")(lambda number=0: number)
    store = _stores[url]
    file = os.open(witness, os.O_WRONLY | os.O_APPEND)
    try:
        for number in range(10**9):
            match draw.randrange(6):
                case 0:
                    id = f"{job.id}-{number}"
                    store.enqueue_many([store.request("noop", id=id)])
                    os.write(file, f"{id}\n".encode())
                case 1:
                    job.progress(draw.random())
                case 2:
                    logging.getLogger("shop.rack").info("step %s", number)
                case 3:
                    with suppress(JobTimeout, JobNotFound):
                        store.job(f"{job.id}-{number - 1}").wait(timeout=0.005)
                case 4:
                    with sqlite3.connect(f"{witness}-{seed}.db") as connection:
                        connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
                    connection.close()
                case _:
                    store.counts()
    finally:
        os.close(file)


@app.task(name="stepping", isolation="process")
def stepping(*, job: ActiveJob) -> tuple[float, float]:
    first = job.step("once", time.monotonic)
    job.sleep(0.05)
    if not _has_failed(job):
        raise RetryableError("once more", delay=0)
    return first, time.monotonic()


@app.task(name="astepping", isolation="process")
async def astepping(*, job: ActiveJob) -> tuple[float, float]:
    first = await job.astep("once", time.monotonic)
    await job.asleep(0.05)
    if not _has_failed(job):
        raise RetryableError("once more", delay=0)
    return first, time.monotonic()


def _has_failed(job: ActiveJob) -> bool:
    return job.attempt > 1


@app.task(name="step_and_die", isolation="process")
def step_and_die(*, job: ActiveJob) -> int:
    """Gets on in each run, and dies in all but the last."""
    runs = 0
    while runs < 3 and job.step(f"{runs}", os.getpid) != os.getpid():
        runs += 1
    if runs < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return runs


@app.task(name="asking", isolation="process")
def asking(*, job: ActiveJob) -> object:
    return job.wait_for("approved", timeout="1h")
