"""One event loop on a thread of its own, and the coroutines that run on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from threading import Event, Thread
from typing import Any

from windlass.worker.executors.daemons import DaemonThreads
from windlass.worker.executors.pulse import Pulse
from windlass.worker.run import Run

_LAST_LINES = 0.5


class UserLoop:
    """One asyncio task per run. It turns until it is closed; then what will not stop is left behind."""

    def __init__(self, perform: Callable[[Run, UserLoop], Coroutine[Any, Any, None]]) -> None:
        self._perform = perform
        self._runs: dict[Run, asyncio.Task[None]] = {}
        self._loop = asyncio.new_event_loop()
        ready = Event()
        self._thread = Thread(target=self._turn, args=(ready,), name="windlass-loop", daemon=True)
        self._thread.start()
        ready.wait()
        self.pulse = Pulse(self._loop, self._thread, self._runs)

    def start(self, runs: list[Run]) -> None:
        for run in runs:
            run.seat = self
        self._loop.call_soon_threadsafe(self._start_all, runs)

    def start_one(self, run: Run) -> None:
        """The same on the loop's own thread."""
        run.seat = self
        # A context of its own: what one job sets must not reach the next one that the same coroutine takes along.
        self._runs[run] = self._loop.create_task(self._perform(run, self), context=Context())

    def forget(self, run: Run) -> None:
        """A run is over."""
        del self._runs[run]

    def cancel(self, run: Run) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel, run)

    def close(self, *, patience: float) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(patience)

    def _start_all(self, runs: list[Run]) -> None:
        for run in runs:
            self.start_one(run)

    def _cancel(self, run: Run) -> None:
        # A coroutine that is cancelled before its first step never runs a line, so its end would go unnoticed; one that
        # has not begun sees by itself that it is to stop.
        if run.started is not None and run in self._runs:
            self._runs[run].cancel()

    def _turn(self, ready: Event) -> None:
        loop = self._loop
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


async def _wind_up() -> None:
    """Let everything that is left on the loop run its last lines; what will not stop is left behind."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_LAST_LINES)
    await asyncio.get_running_loop().shutdown_asyncgens()
