"""Interrupts strike user code alone: our own code, logging and the library's locks come out of them whole."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from types import FrameType, FunctionType

import pytest

from tests.ledger.apps import failure_of
from tests.places.place import Place
from tests.strikes import Strike, sweep
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor
from tests.worker.isolated.tasks import isolated
from windlass import ActiveJob, Job, JobCancelled, JobInterrupted, JobTimeout, Retry, State, Windlass, this_job
from windlass.store.operation import Call
from windlass.worker.executors.user_code import interrupt, withdraw

COUNT = int(os.environ.get("WINDLASS_INTERRUPTS", "30"))
"""How many runs are interrupted in each of the racks."""
SEED = int(os.environ.get("WINDLASS_SEED", random.randrange(2**32)))

on_one_store = pytest.mark.only_on("sqlite")


def spin(is_over: Event) -> None:
    while not is_over._flag:  # type: ignore[attr-defined]  # a question would be a call into another module
        pass


def wait(is_over: Event) -> None:
    while not is_over.wait(0.001):
        pass


def _moved(work: Callable[..., None], module: str) -> Callable[..., None]:
    """The same function, as if it stood in another module."""
    assert isinstance(work, FunctionType)
    return FunctionType(work.__code__, {**work.__globals__, "__name__": module}, closure=work.__closure__)


class Spinner:
    """A thread whose innermost frame is in a module of this name."""

    def __init__(self, module: str, spin: Callable[[Event], None] = spin) -> None:
        self._is_over, self.began = Event(), Event()
        self.raised: list[type[BaseException]] = []
        self._spin = _moved(spin, module)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self.began.wait(PATIENCE)

    @property
    def ident(self) -> int:
        assert self._thread.ident is not None
        return self._thread.ident

    def _run(self) -> None:
        self.began.set()
        try:
            self._spin(self._is_over)
        except BaseException as error:
            self.raised.append(type(error))

    def end(self) -> list[type[BaseException]]:
        self._is_over.set()
        self._thread.join(PATIENCE)
        return self.raised

    def await_end(self) -> list[type[BaseException]]:
        self._thread.join(PATIENCE)
        return self.raised


@on_one_store
def test_user_code_is_interrupted() -> None:
    spinner = Spinner("shop.tasks")
    eventually(lambda: interrupt(spinner.ident), "it is in user code")
    assert spinner.await_end() == [JobInterrupted]


@on_one_store
@pytest.mark.parametrize(
    "module",
    ["windlass.store.connection.pool", "logging.handlers", "threading", "queue", "importlib._bootstrap", "contextlib"],
)
def test_no_other_code_is_interrupted(module: str) -> None:
    spinner = Spinner(module)
    # Past its entry, which is in this file; from then on every look finds the same frame.
    sleep_until_inside(spinner, module)
    assert not any(interrupt(spinner.ident) for _ in range(200))
    assert spinner.end() == []


def sleep_until_inside(spinner: Spinner, module: str) -> None:
    eventually(lambda: sys._current_frames()[spinner.ident].f_globals["__name__"] == module, "it is inside")


@on_one_store
def test_a_thread_that_waits_for_an_event_is_interrupted_when_the_wait_ends() -> None:
    spinner = Spinner("shop.tasks", wait)
    eventually(lambda: interrupt(spinner.ident), "it can be interrupted where it waits")
    assert spinner.await_end() == [JobInterrupted]


@on_one_store
def test_a_thread_that_starts_another_is_interrupted_when_that_has_begun() -> None:
    """Before, the exception could be raised in the new thread, and the first would wait for its beginning for ever."""
    may_begin = Event()

    class Slow(Thread):
        def _bootstrap(self) -> None:
            assert may_begin.wait(PATIENCE)
            super()._bootstrap()  # type: ignore[misc]

    def start(is_over: Event) -> None:
        Slow(daemon=True).start()
        while not is_over._flag:  # type: ignore[attr-defined]
            pass

    spinner = Spinner("shop.tasks", start)
    eventually(lambda: _is_starting(sys._current_frames()[spinner.ident]), "it waits for the new thread")
    assert not any(interrupt(spinner.ident) for _ in range(200))
    may_begin.set()
    eventually(lambda: interrupt(spinner.ident), "it is in user code again")
    assert spinner.await_end() == [JobInterrupted]


def _is_starting(frame: FrameType | None) -> bool:
    """Whether the thread waits in ``Thread.start``."""
    is_waiting = frame is not None and frame.f_code is Condition.wait.__code__
    while is_waiting and frame is not None and frame.f_code is not Thread.start.__code__:
        frame = frame.f_back
    return is_waiting and frame is not None


@on_one_store
def test_what_has_not_been_raised_can_be_withdrawn() -> None:
    lock = Lock()
    began = Event()
    raised: list[type[BaseException]] = []

    def hold() -> None:
        began.set()
        try:
            with lock:
                pass
        except BaseException as error:
            raised.append(type(error))

    with lock:
        thread = Thread(target=hold, daemon=True)
        thread.start()
        assert began.wait(PATIENCE)
        eventually(lambda: interrupt(thread.ident or 0), "it waits for the lock in user code")
        withdraw(thread.ident or 0)
    thread.join(PATIENCE)
    assert raised == []


@on_one_store
def test_an_interrupt_during_a_store_call_is_raised_when_the_call_has_left(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    inside, go_on = Event(), Event()
    after: list[str] = []

    @app.task
    def noop() -> None: ...

    @app.task
    def busy() -> None:
        try:
            noop.options(id="inner").enqueue()
            after.append("returned")
        except JobInterrupted:
            after.append("interrupted")
            raise

    def hold(call: Call) -> None:
        if threading.current_thread().name.startswith("windlass-run"):
            inside.set()
            while not go_on.is_set():
                os.getpid()

    with app.worker() as worker:
        interceptor.before.append(_moved(hold, "windlass.store.held"))
        job = busy.enqueue()
        assert inside.wait(PATIENCE)
        job.cancel()
        eventually(lambda: any(run.wants_interrupt for run in worker._dispatcher.running()), "it was tried in vain")
        go_on.set()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)
        assert app.job("inner").id == "inner"
    assert after == ["interrupted"]


@on_one_store
def test_a_task_that_does_nothing_but_log_is_interrupted_and_no_handler_stays_locked(
    app: Windlass, tmp_path: Path
) -> None:
    handler = logging.FileHandler(tmp_path / "log")
    mine = logging.getLogger("shop.chatty")
    mine.addHandler(handler)
    mine.propagate = False
    mine.setLevel(logging.INFO)

    @app.task(timeout=0.05, retry=Retry(attempts=1))
    def chatty() -> None:
        while True:
            mine.info("step %s", "x" * 200)

    with app.worker(concurrency=4) as worker:
        for job in [chatty.enqueue() for _ in range(12)]:
            assert failure_of(job).reason == "timeout"
        assert worker.status().abandoned == 0
    lock = handler.lock
    assert lock is not None
    assert lock.acquire(timeout=PATIENCE)
    lock.release()
    handler.close()
    mine.handlers.clear()


@on_one_store
def test_a_task_that_may_not_be_interrupted_is_told_and_stops_by_itself(app: Windlass) -> None:
    raised: list[str] = []

    @app.task(timeout=0.05, interrupt=False, retry=Retry(attempts=1))
    def careful(*, job: ActiveJob = this_job) -> str:
        try:
            while not job._control.is_stopping:  # does not make itself cooperative by asking
                pass
        except BaseException as error:
            raised.append(type(error).__name__)
            raise
        return "stopped by itself"

    with app.worker():
        assert careful.enqueue().result(timeout=PATIENCE) == "stopped by itself"
    assert raised == []


@on_one_store
def test_a_task_that_may_not_be_interrupted_and_does_not_stop_is_abandoned(app: Windlass) -> None:
    over = Event()

    @app.task(timeout=0.05, interrupt=False)
    def deaf() -> None:
        while not over.is_set():
            pass

    try:
        with app.worker(stop_patience=0.2) as worker:
            assert failure_of(deaf.enqueue()).reason == "timeout"
            assert worker.status().abandoned == 1
            over.set()
    finally:
        over.set()


# An exception in ``Thread.start`` behind the start takes the thread off a list of the library's, from which it wants to
# take itself off: it ends there, is reported, and never runs. The next wait starts another one.
@pytest.mark.filterwarnings("ignore:Exception ignored in thread started by:pytest.PytestUnraisableExceptionWarning")
@on_one_store
def test_a_wait_for_a_result_that_is_struck_anywhere_holds_up_no_other(app: Windlass) -> None:
    """Ctrl-C in ``job.result()``, say."""

    @app.task
    def noop(number: int) -> int:
        return number

    later = noop.options(delay="1h").enqueue(0)
    for striker in sweep("windlass", "threading", "contextlib", "concurrent", step=7):
        told = striker.during(partial(later.wait, timeout=0.02))
        assert isinstance(told, Strike | JobTimeout), (striker.struck, told)
    with app.worker():
        assert noop.enqueue(7).result(timeout=PATIENCE) == 7
    eventually(lambda: not app.client.waiter._awaited, "those who waited are forgotten")


@on_one_store
def test_a_run_that_waits_for_another_job_is_interrupted(app: Windlass) -> None:
    @app.task
    def noop() -> None: ...

    @app.task(timeout=0.05, retry=Retry(attempts=1))
    def waits(id: str) -> None:
        app.job(id).wait()

    with app.worker(["default"]) as worker:
        later = noop.options(delay="1h").enqueue()
        assert failure_of(waits.enqueue(later.id)).reason == "timeout"
        assert worker.status().abandoned == 0


# The racks.


@pytest.fixture
def rng() -> random.Random:
    print(f"WINDLASS_SEED={SEED}")
    return random.Random(SEED)


_RIVAL = """
import sys
from windlass import Windlass

app = Windlass(sys.argv[1], namespace=sys.argv[2])
app.task(name="noop", queue="rest")(lambda number=0: number)
print(app.enqueue("noop").state)
"""


def check_at_rest(app: Windlass, place: Place, told: list[str]) -> None:
    """What callers were told is true, this process and another can write, and nothing is held."""
    gc.collect()  # connections of interrupted user code, while this test still ignores them
    for id in told:
        assert app.job(id).id == id
    rival = [sys.executable, "-c", _RIVAL, place.url, place.namespace]
    assert subprocess.run(rival, capture_output=True, text=True, timeout=60, check=True).stdout == "pending\n"
    assert app.enqueue("noop").state is State.PENDING
    driver = app.client.session._driver
    pool = getattr(driver, "_pool", None)
    eventually(lambda: pool is None or pool.calls.free == pool.calls.count, "all places are free")


def time_out(enqueue: Callable[[float], Job[None]], *, at_once: int, shortest: float, rng: random.Random) -> None:
    """Have so many runs interrupted by their time limits, wherever they are then."""
    left = COUNT
    while left > 0:
        jobs = [enqueue(shortest + 2 * shortest * rng.random()) for _ in range(min(left, at_once))]
        left -= len(jobs)
        for job in jobs:
            job.wait(timeout=120)
            assert job.reason == "timeout", (job.reason, job.errors)


racks = pytest.mark.timeout(600 if COUNT <= 200 else 3600)


@racks
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")  # of user code that was interrupted
def test_threads_that_are_interrupted_anywhere_leave_nothing_held(
    app: Windlass, place: Place, tmp_path: Path, rng: random.Random
) -> None:
    told: list[str] = []
    own = Lock()
    log = logging.getLogger("shop.rack")

    @app.task(name="noop", queue="rest")
    def noop(number: int = 0) -> int:
        return number

    @app.task(queue="busy", retry=Retry(attempts=1))
    def busy(seed: int, *, job: ActiveJob = this_job) -> None:
        draw = random.Random(seed)
        done = noop.enqueue()
        for number in range(10**9):
            match draw.randrange(7):
                case 0:
                    id = f"{job.id}-{number}"
                    noop.options(id=id).enqueue(number)
                    told.append(id)
                case 1:
                    job.progress(draw.random())
                case 2:
                    done.refresh()
                case 3:
                    log.info("step %s", number)
                case 4:
                    with sqlite3.connect(tmp_path / f"{seed}.db") as connection:
                        connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
                    connection.close()
                case 5:
                    with suppress(JobTimeout):
                        done.wait(timeout=0.005)
                case _:
                    with own:
                        sum(range(100))

    def enqueue(seconds: float) -> Job[None]:
        return busy.options(timeout=seconds).enqueue(rng.randrange(2**32))

    # Have it imported what tells why: pytest compiles modules of ours, and leaves a file open where it is interrupted.
    noop.enqueue().refresh().why()
    with app.worker(["busy"], concurrency=4, stop_patience=60) as worker:
        time_out(enqueue, at_once=20, shortest=0.02, rng=rng)
        assert worker.status().abandoned == 0
        # A machine that is busy with other things may let a thread of the worker wait for long.
        eventually(lambda: worker.liveness.readiness_problem() is None, "the worker is well")
    assert own.acquire(timeout=PATIENCE)
    check_at_rest(app, place, told)


@racks
def test_coroutines_that_are_cancelled_anywhere_leave_nothing_held(
    app: Windlass, place: Place, rng: random.Random
) -> None:
    told: list[str] = []
    own = asyncio.Lock()

    @app.task(name="noop", queue="rest")
    def noop(number: int = 0) -> int:
        return number

    @app.task(queue="busy", retry=Retry(attempts=1))
    async def busy(seed: int, *, job: ActiveJob = this_job) -> None:
        draw = random.Random(seed)
        done = await noop.aenqueue()
        for number in range(10**9):
            match draw.randrange(5):
                case 0:
                    id = f"{job.id}-{number}"
                    await noop.options(id=id).aenqueue(number)
                    told.append(id)
                case 1:
                    await job.aprogress(draw.random())
                case 2:
                    await done.arefresh()
                case 3:
                    with suppress(JobTimeout):
                        await done.aresult(timeout=0.005)
                case _:
                    async with own:
                        await asyncio.sleep(0)

    def enqueue(seconds: float) -> Job[None]:
        return busy.options(timeout=seconds).enqueue(rng.randrange(2**32))

    with app.worker(["busy"], concurrency=4, stop_patience=60) as worker:
        time_out(enqueue, at_once=20, shortest=0.02, rng=rng)
        assert worker.status().abandoned == 0
        # A machine that is busy with other things may let a thread of the worker wait for long.
        eventually(lambda: worker.liveness.readiness_problem() is None, "the worker is well")
    assert not own.locked()
    check_at_rest(app, place, told)


@racks
def test_children_that_are_interrupted_anywhere_leave_nothing_held(
    app: Windlass, place: Place, tmp_path: Path, rng: random.Random
) -> None:
    isolated(app)
    app.task(name="noop", queue="rest")(lambda number=0: number)
    witness = tmp_path / "told"
    witness.touch()

    def enqueue(seconds: float) -> Job[None]:
        arguments = [place.url, place.namespace, str(witness), rng.randrange(2**32)]
        request = app.request("busy_with_store", arguments, queue="busy", timeout=seconds, attempts=1)
        return app.enqueue_many([request])[0]

    with app.worker(["busy"], concurrency=2, children=2, stop_patience=60):
        time_out(enqueue, at_once=10, shortest=0.05, rng=rng)
    check_at_rest(app, place, witness.read_text().split())


_WITHDRAWN = """
import sys
from threading import Lock, Thread
from windlass.errors import JobInterrupted
from windlass.worker.executors import user_code

held = Lock()
held.acquire()
waiting = Thread(target=held.acquire, daemon=True)
waiting.start()
user_code._set_exception(waiting.ident, JobInterrupted)
user_code.withdraw(waiting.ident)

def traced() -> str:
    return "goes on"

sys.settrace(lambda frame, event, argument: None)
print(traced())
"""


def test_an_interrupt_that_was_withdrawn_leaves_the_interpreter_as_it_was() -> None:
    """Python 3.11 would look for it for ever when a function begins under a debugger or coverage."""
    done = subprocess.run([sys.executable, "-c", _WITHDRAWN], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "goes on\n"


_SWALLOWED = """
import sys
from collections import deque
from itertools import chain, starmap
from threading import get_ident
from windlass.worker.executors import user_code

class Leaving:
    def __del__(self) -> None:
        pass

held = {"last": Leaving()}
set_exception = user_code._set_exception

def just_before_a_finaliser(thread: int, error: type[BaseException]) -> None:
    # All in C: between the setting and the finaliser the interpreter does not look for exceptions.
    deque(map(set_exception, chain([thread], starmap(dict.clear, [(held,)])), [error]), maxlen=0)

user_code._set_exception = just_before_a_finaliser
sys.unraisablehook = lambda swallowed: print("swallowed")
user_code.withdraw(get_ident())
print("goes on")
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="nothing is raised there to let the interpreter forget")
def test_an_interrupt_is_withdrawn_though_a_finaliser_swallows_what_makes_python_forget_it() -> None:
    done = subprocess.run([sys.executable, "-c", _SWALLOWED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "swallowed\ngoes on\n"
