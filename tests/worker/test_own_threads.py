"""The worker's own threads, and the event loop of its jobs: none of them is missing unnoticed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest

from tests.new_threads import NewThreads
from tests.waiting import PATIENCE, eventually
from tests.worker.system_limits import ThreadRefusals
from windlass import StartRefused, Windlass
from windlass.threads.wakeup import Wakeup
from windlass.worker.process.own_threads import OwnThreads
from windlass.worker.ticker import Ticker

dying = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


class Fragile(Wakeup):
    """Ends the thread that clears it, when it was told to."""

    is_broken = False

    def clear(self) -> None:
        if self.is_broken:
            self.is_broken = False
            raise SystemExit
        super().clear()


def a_ticker(name: str) -> tuple[Ticker, Fragile, Event]:
    """One with the event that ends its thread, and one that is set by each tick."""
    wake, ticked = Fragile(), Event()

    def tick() -> float:
        ticked.set()
        return 3600.0

    return Ticker(tick, name=name, wake=wake), wake, ticked


def die(ticker: Ticker, wake: Fragile) -> None:
    wake.is_broken = True
    wake.set()
    eventually(lambda: ticker.has_died, "its thread has ended")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The levels of what was logged of the thread; workers that earlier tests have left behind may log, too."""
    return [record.levelname for record in caplog.records if "fragile" in record.getMessage()]


@dying
def test_a_thread_that_died_is_told_counted_and_started_again(caplog: pytest.LogCaptureFixture) -> None:
    """B38."""
    ticker, wake, ticked = a_ticker("fragile")
    threads = OwnThreads([ticker])
    threads.start()
    assert ticked.wait(PATIENCE)
    threads.check()
    assert (threads.deaths, threads.trouble()) == (0, None)
    die(ticker, wake)
    assert threads.trouble() == "threads of the worker have ended: fragile"
    ticked.clear()
    threads.check()
    assert ticked.wait(PATIENCE), "it ticks again"
    assert (threads.deaths, threads.trouble()) == (1, None)
    assert told(caplog) == ["CRITICAL"]
    assert ticker.stop(timeout=PATIENCE)
    assert (ticker.has_died, threads.trouble()) == (False, None), "one that was stopped is not missing"


@dying
def test_a_death_is_told_once_however_often_the_thread_is_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """B38: and it stays known as missing all that time."""
    ticker, wake, _ = a_ticker("fragile")
    threads = OwnThreads([ticker])
    threads.start()
    die(ticker, wake)
    refusals = ThreadRefusals(monkeypatch)
    refusals.refuse("windlass-fragile")
    threads.check()
    threads.check()
    assert (len(refusals.refused), threads.deaths, told(caplog)) == (2, 1, ["CRITICAL"])
    assert threads.trouble() is not None
    refusals.allow()
    threads.check()
    assert threads.trouble() is None
    assert ticker.stop(timeout=PATIENCE)


def test_all_are_started_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, _, _), (second, _, _) = a_ticker("first"), a_ticker("second")
    refusals = ThreadRefusals(monkeypatch)
    refusals.refuse("windlass-second", times=1)
    threads = OwnThreads([first, second])
    with pytest.raises(StartRefused):
        threads.start()
    assert (first.is_alive, second.is_alive, threads.trouble()) == (False, False, None)
    threads.start()
    assert (first.is_alive, second.is_alive) == (True, True)
    assert (first.stop(timeout=PATIENCE), second.stop(timeout=PATIENCE)) == (True, True)


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_service_outlives_whatever_a_round_raises(error: type[BaseException]) -> None:
    rounds: list[int] = []
    done = Event()

    def tick() -> float:
        rounds.append(1)
        if len(rounds) == 1:
            raise error
        done.set()
        return 3600.0

    ticker = Ticker(tick, name="tested")
    ticker.start()
    assert done.wait(PATIENCE)
    assert ticker.stop(timeout=PATIENCE)


class Raising(logging.Handler):
    """What a careless program may have for a log handler."""

    def emit(self, record: logging.LogRecord) -> None:
        raise ValueError("no room")


@pytest.fixture
def _careless() -> Iterator[None]:
    handler, log = Raising(), logging.getLogger("windlass.worker")
    log.addHandler(handler)
    yield
    log.removeHandler(handler)


@pytest.mark.usefixtures("_careless")
def test_a_service_outlives_a_log_handler_that_raises() -> None:
    done, has_failed = Event(), Event()

    def tick() -> float:
        if not has_failed.is_set():
            has_failed.set()
            raise ValueError
        done.set()
        return 3600.0

    ticker = Ticker(tick, name="tested")
    ticker.start()
    assert done.wait(PATIENCE)
    assert ticker.stop(timeout=PATIENCE)


def test_a_thread_that_is_started_again_is_not_taken_for_dead_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """B38: or the thread that watches it would start it, too, and count a death."""
    ticker = Ticker(lambda: PATIENCE, name="tested")
    ticker.start()
    assert ticker.stop(timeout=PATIENCE)
    has_died: list[bool] = []
    begin = Thread.start

    def watched(thread: Thread) -> None:
        if thread.name == "windlass-tested":  # others may begin meanwhile, such as one that writes log records
            has_died.append(ticker.has_died)
        begin(thread)

    monkeypatch.setattr(Thread, "start", watched)
    ticker.start()
    assert ticker.stop(timeout=PATIENCE)
    assert has_died == [False]


def _stop_the_loop() -> None:
    asyncio.get_running_loop().stop()


def _exit_from_a_task() -> None:
    async def exit() -> None:
        raise SystemExit(3)

    _exit_from_a_task.kept = asyncio.ensure_future(exit())  # type: ignore[attr-defined]


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("end", [_stop_the_loop, _exit_from_a_task])
def test_a_job_that_ends_the_event_loop_takes_no_other_along(
    app: Windlass, end: Callable[[], None], new_threads: NewThreads
) -> None:
    """B6: it goes on turning for the others."""
    begun, release = Event(), Event()

    @app.task
    async def innocent() -> str:
        begun.set()
        while not release.is_set():  # noqa: ASYNC110  # the test sets it from another thread
            await asyncio.sleep(0.005)
        return "done"

    @app.task
    async def rude() -> str:
        end()
        await asyncio.sleep(0)
        return "gone"

    with app.worker(concurrency=3):
        job = innocent.enqueue()
        assert begun.wait(PATIENCE)
        assert rude.enqueue().result(timeout=PATIENCE) == "gone"
        release.set()
        assert job.result(timeout=PATIENCE) == "done"
        assert job.refresh().attempt == 1
    assert new_threads.named("windlass-loop") == []


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("_careless")
@pytest.mark.parametrize("is_async", [False, True])
def test_a_log_handler_that_raises_loses_no_run(app: Windlass, is_async: bool) -> None:
    """B6: a job that failed has failed, whether or not that could be told."""

    def plain() -> None:
        raise LookupError

    async def coroutine() -> None:
        raise LookupError

    task = app.task(coroutine if is_async else plain)
    with app.worker(concurrency=1):
        jobs = [task.options(attempts=1).enqueue() for _ in range(3)]
        eventually(lambda: all(job.refresh().state == "failed" for job in jobs), "all have failed")
