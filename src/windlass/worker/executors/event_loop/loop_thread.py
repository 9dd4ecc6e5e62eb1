"""One event loop on its own thread."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from contextvars import Context
from typing import Any

from windlass import clock
from windlass.errors import StartRefused
from windlass.threads.start import start_thread
from windlass.worker.executors.event_loop.block_detector import BlockDetector
from windlass.worker.executors.event_loop.daemon_threads import DaemonThreads
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")

_LAST_LINES = 0.5
_AT_ONCE = 0.01
_FAILURES_ALLOWED = 100
"""A loop that ends so many times in a row within so many seconds each turns no more."""


class LoopThread:
    """One asyncio task per run. It turns until it is closed; then what will not stop is left behind."""

    def __init__(self, perform: Callable[[Run, LoopThread], Coroutine[Any, Any, None]]) -> None:
        self._perform = perform
        self._runs: dict[Run, asyncio.Task[None]] = {}
        self._is_closed = False
        try:
            _see_that_files_can_be_opened()
            self._loop = asyncio.new_event_loop()
        except OSError as error:
            raise StartRefused(f"the system refuses the files of an event loop: {error}") from error
        threads = DaemonThreads()
        self._loop.set_default_executor(threads)
        try:
            self._thread = start_thread(self._live, threads, name="windlass-loop", runs_user_code=True)
        except StartRefused:
            self._loop.close()
            raise
        self.block_detector = BlockDetector(self._loop, self._thread, self._runs)

    @property
    def has_ended(self) -> bool:
        """Whether it ended without being closed."""
        return not (self._is_closed or self._thread.is_alive())

    def start(self, runs: list[Run]) -> None:
        for run in runs:
            run.slot = self
        self._loop.call_soon_threadsafe(self._start_all, runs)

    def start_one(self, run: Run) -> None:
        """The same on the loop's own thread."""
        run.slot = self
        # A context of its own: what one job sets must not reach the next one that the same coroutine takes along.
        self._runs[run] = self._loop.create_task(self._perform(run, self), context=Context())

    def forget(self, run: Run) -> None:
        """A run is over."""
        del self._runs[run]

    def cancel(self, run: Run) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel, run)

    def close(self, *, patience: float) -> None:
        self._is_closed = True
        if not self._thread.is_alive():
            return
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

    def _live(self, threads: DaemonThreads) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        try:
            self._turn()
        finally:
            loop.run_until_complete(_wind_up())
            threads.shutdown()
            asyncio.set_event_loop(None)
            loop.close()

    def _turn(self) -> None:
        """Until it is closed. A task that a job has started may end any loop, by SystemExit or ``loop.stop()``: then it
        goes on turning, for the others on it. One that cannot turn any more is given up.
        """
        failures = 0
        while not self._is_closed and failures < _FAILURES_ALLOWED:
            began = clock.monotonic()
            try:
                self._loop.run_forever()
                if not self._is_closed:
                    log.warning("a job has stopped the event loop of all jobs; it goes on")
            except BaseException:  # whatever it is, it is not meant for the others
                log.exception("a job has ended the event loop of all jobs; it goes on")
            failures = failures + 1 if clock.monotonic() - began < _AT_ONCE else 0


def _see_that_files_can_be_opened() -> None:
    """As many as an event loop opens: one that is refused them half-way complains when it is collected."""
    with ExitStack() as opened:
        for _ in range(3):
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))


async def _wind_up() -> None:
    """Let everything that is left on the loop run its last lines; what will not stop is left behind."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_LAST_LINES)
    await asyncio.get_running_loop().shutdown_asyncgens()
