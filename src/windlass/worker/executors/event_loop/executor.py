"""Runs coroutines on the loop thread."""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING

from windlass import clock
from windlass.active_job import running
from windlass.core.ending import Ending
from windlass.core.outcome import StopReason
from windlass.errors import StartRefused
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.run import Run

if TYPE_CHECKING:
    from windlass.worker.executors.event_loop.loop_thread import LoopThread

log = logging.getLogger("windlass.worker")


class LoopExecutor:
    """One event loop for all runs, until one of them blocks it for good: then another takes its place."""

    def __init__(self, *, attempts: AttemptRules, dispatcher: Dispatcher) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._starting = Lock()
        self._loop: LoopThread | None = None
        self._left_behind: list[LoopThread] = []

    def start(self, runs: list[Run]) -> list[Run]:
        try:
            loop = self._started_loop()
        except StartRefused:
            return runs
        loop.start(runs)
        return []

    def interrupt(self, run: Run) -> None:
        if not run.task.is_interruptible:
            return
        for loop in (self._loop, *self._left_behind):
            if loop is not None and loop is run.slot:
                loop.cancel(run)

    def abandon(self, run: Run) -> None:
        """A coroutine that swallows every cancel costs memory and time; one that blocks its loop costs the loop."""
        with self._starting:
            loop = self._loop
            if loop is not None and loop is run.slot and loop.block_detector.is_blocked(clock.monotonic()):
                self._left_behind.append(loop)
                self._loop = None
                self._free_unstarted(loop)

    def check(self, now: float) -> None:
        """Check that the loop still turns; log what blocks it."""
        loop = self._loop
        if loop is None:
            return
        if loop.has_ended:
            self._replace(loop)
        else:
            loop.block_detector.check(now)

    def close(self) -> None:
        """Stop the loop; what will not stop is left behind with its daemon thread."""
        for loop in self._left_behind:
            loop.close(patience=0.0)
        if self._loop is not None:
            self._loop.close(patience=1.0)

    def _started_loop(self) -> LoopThread:
        loop = self._loop
        if loop is not None:
            return loop
        # The pump and a thread that starts an async run may both come here first.
        with self._starting:
            if self._loop is None:
                self._loop = import_event_loop()(self._perform)
            return self._loop

    def _replace(self, loop: LoopThread) -> None:
        """Replace a loop that has ended: runs that had begun on it fail, the others start on the new one."""
        with self._starting:
            self._loop = None
        lost = [run for run in self._dispatcher.running() if run.slot is loop]
        log.error("the event loop has ended unexpectedly, with %s jobs on it; another takes its place", len(lost))
        for run in lost:
            if run.started is None:
                self._dispatcher.requeue([run])
            else:
                error = RuntimeError("the event loop on which this job ran has ended")
                self._finish(run, self._attempts.ending(run, self._attempts.raised(run, error)))

    def _finish(self, run: Run, ending: Ending) -> None:
        following = self._dispatcher.finished(run, ending, self)
        if following is not None:
            self._dispatcher.requeue([following])

    def _free_unstarted(self, loop: LoopThread) -> None:
        """Release runs that wait for a loop that does not turn."""
        for run in self._dispatcher.running():
            if run.slot is loop and run.started is None:
                self._dispatcher.stop([run], StopReason.SHUTDOWN)

    async def _perform(self, run: Run, loop: LoopThread) -> None:
        try:
            ending = await self._attempt(run)
        finally:
            loop.forget(run)
        following = self._dispatcher.finished(run, ending, self)
        if following is None:
            return
        if loop is self._loop:
            loop.start_one(following)
        else:
            self._dispatcher.requeue([following])

    async def _attempt(self, run: Run) -> Ending:
        try:
            call = self._attempts.begin(run)
            if not isinstance(call, tuple):
                return self._attempts.ending(run, call)
            running.set(run)
            outcome = self._attempts.returned(run, await run.task.hooked(*call[0], **call[1]))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = self._attempts.raised(run, error)
        return self._attempts.ending(run, outcome)


def import_event_loop() -> type[LoopThread]:
    """What the first coroutine needs; a worker that knows of such tasks imports it before it starts.

    asyncio is a sixth of our start-up, and many workers have no coroutines.
    """
    try:
        from windlass.worker.executors.event_loop.loop_thread import LoopThread
    except (OSError, ImportError) as error:
        raise StartRefused(f"the system refuses the files of asyncio: {error}") from error
    return LoopThread
