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
from windlass.threads.daemon_threads import DaemonThreads
from windlass.threads.start import start_thread
from windlass.worker.executors.event_loop.block_detector import BlockDetector
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")

_LAST_LINES = 0.5
_AT_ONCE = 0.01
_FAILURES_ALLOWED = 100
"""A loop that ends so many times in a row, each time within so many seconds, is given up."""


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
        self._loop.set_exception_handler(self._report)
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
        """Start a run; called on the loop's own thread."""
        run.slot = self
        # A context of its own: what one job sets must not reach the next one that the same coroutine starts.
        self._runs[run] = self._loop.create_task(self._perform(run, self), context=Context())

    def forget(self, run: Run) -> None:
        """The run has ended."""
        del self._runs[run]

    def coroutine_of(self, run: Run) -> object | None:
        """The coroutine that runs a job, for a look at where it is; from any thread."""
        task = self._runs.get(run)
        return None if task is None else task.get_coro()

    def cancel(self, run: Run) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._cancel, run)

    def close(self, *, patience: float) -> None:
        self._is_closed = True
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(patience)

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report an error as every loop does, but not that an abandoned task is still pending, which is known."""
        task = context.get("task")
        if not (self._is_closed and isinstance(task, asyncio.Task) and not task.done()):
            loop.default_exception_handler(context)

    def _start_all(self, runs: list[Run]) -> None:
        for run in runs:
            self.start_one(run)

    def _cancel(self, run: Run) -> None:
        # A coroutine that is cancelled before its first step never runs a line, so its end would go unnoticed; a run
        # that has not begun checks for itself whether it is to stop.
        if run.started is not None and run in self._runs:
            self._runs[run].cancel()

    def _live(self, threads: DaemonThreads) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        try:
            self._turn()
        finally:
            if left := loop.run_until_complete(_wind_up()):
                log.info("%s coroutines did not stop when their event loop was closed; they are left behind", left)
            threads.shutdown()
            asyncio.set_event_loop(None)
            loop.close()

    def _turn(self) -> None:
        """Run the loop until it is closed. A task that a job started may end the loop, by SystemExit or
        ``loop.stop()``: it is run again, for the other jobs on it. A loop that ends again and again is given up.
        """
        failures = 0
        while not self._is_closed and failures < _FAILURES_ALLOWED:
            began = clock.monotonic()
            try:
                self._loop.run_forever()
                if not self._is_closed:
                    log.warning("a job has stopped the event loop of all jobs; it goes on")
            except BaseException:  # whatever it is, other jobs must not suffer
                log.exception("a job has ended the event loop of all jobs; it goes on")
            failures = failures + 1 if clock.monotonic() - began < _AT_ONCE else 0


def _see_that_files_can_be_opened() -> None:
    """Open and close as many files as an event loop needs: a loop that fails half-way warns when it is collected."""
    with ExitStack() as opened:
        for _ in range(3):
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))


async def _wind_up() -> int:
    """Cancel everything that is left on the loop, also what others start meanwhile, and let it clean up; how many
    coroutines did not stop.
    """
    loop = asyncio.get_running_loop()
    until, told = loop.time() + _LAST_LINES, set[asyncio.Task[Any]]()
    while (rest := asyncio.all_tasks() - {asyncio.current_task()}) and (patience := until - loop.time()) > 0:
        for task in rest - told:
            task.cancel()
        told |= rest
        await asyncio.wait(rest, timeout=patience)
    await loop.shutdown_asyncgens()
    return len(rest)
