"""Coroutines on an event loop of its own thread, so that user code can block nothing but other user code."""

from __future__ import annotations

import asyncio
from contextvars import Context
from threading import Event, Lock, Thread

from windlass import clock
from windlass.active import running
from windlass.core.ending import Ending
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.executors.daemons import DaemonThreads
from windlass.worker.run import Run, Stop

_LAST_LINES = 0.5


class LoopExecutor:
    """One asyncio task per run, and one table of deadlines for all of them."""

    def __init__(self, *, attempts: Attempts, dispatcher: Dispatcher) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._starting = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._runs: dict[Run, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def start(self, runs: list[Run]) -> None:
        self._started_loop().call_soon_threadsafe(self._start_all, runs)

    def interrupt(self, run: Run) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel, run)

    def abandon(self, run: Run) -> None:
        """A coroutine that swallows every cancel occupies nothing but memory and its loop's time."""

    def close(self) -> None:
        """Stop the loop; what will not stop is left behind with its daemon thread."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=1)

    def _started_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None:
            return self._loop
        # The pump and a thread that takes an async run along may both come here first.
        with self._starting:
            if self._loop is None:
                loop, ready = asyncio.new_event_loop(), Event()
                self._thread = Thread(target=self._run_loop, args=(loop, ready), name="windlass-loop", daemon=True)
                self._thread.start()
                ready.wait()
                self._loop = loop
            return self._loop

    def _run_loop(self, loop: asyncio.AbstractEventLoop, ready: Event) -> None:
        asyncio.set_event_loop(loop)
        threads = DaemonThreads()
        loop.set_default_executor(threads)
        ready.set()
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(_wind_up())
            threads.shutdown()
            asyncio.set_event_loop(None)
            loop.close()

    def _start_all(self, runs: list[Run]) -> None:
        for run in runs:
            self._start_one(run)

    def _start_one(self, run: Run) -> None:
        assert self._loop is not None
        # A context of its own: what one job sets must not reach the next one that the same coroutine takes along.
        self._runs[run] = self._loop.create_task(self._perform(run), context=Context())

    async def _perform(self, run: Run) -> None:
        try:
            ending = await self._attempt(run)
        finally:
            del self._runs[run]
        following = self._dispatcher.finished(run, ending, self)
        if following is not None:
            self._start_one(following)

    async def _attempt(self, run: Run) -> Ending:
        try:
            call = self._attempts.begin(run)
            if not isinstance(call, tuple):
                return self._attempts.ending(run, call)
            if run.ends_at is not None and (self._timer is None or run.ends_at < self._timer.when()):
                self._watch(run.ends_at)
            running.set(run)
            outcome = self._attempts.returned(run, await run.task.function(*call[0], **call[1]))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = self._attempts.raised(run, error)
        return self._attempts.ending(run, outcome)

    def _cancel(self, run: Run) -> None:
        # A coroutine that is cancelled before its first step never runs a line, so its end would go unnoticed; one that
        # has not begun sees by itself that it is to stop.
        if run.started is not None and run in self._runs:
            self._runs[run].cancel()

    def _watch(self, deadline: float) -> None:
        assert self._loop is not None
        if self._timer is not None:
            self._timer.cancel()
        # The loop's clock is time.monotonic, as ours.
        self._timer = self._loop.call_at(deadline, self._end_overdue)

    def _end_overdue(self) -> None:
        self._timer = None
        now = clock.monotonic()
        for run in [run for run in self._runs if run.ends_at is not None and run.ends_at <= now]:
            run.ends_at = None
            self._dispatcher.stop(run, Stop.TIMED_OUT)
        nearest = min((run.ends_at for run in self._runs if run.ends_at is not None), default=None)
        if nearest is not None:
            self._watch(nearest)


async def _wind_up() -> None:
    """Let everything that is left on the loop run its last lines; what will not stop is left behind."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_LAST_LINES)
    await asyncio.get_running_loop().shutdown_asyncgens()
