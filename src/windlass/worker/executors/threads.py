"""Plain functions on threads of our own."""

from __future__ import annotations

import logging
from contextlib import suppress
from contextvars import Context
from queue import SimpleQueue
from threading import RLock, Thread, get_ident

from windlass.active_job import running
from windlass.client.tasks.registry import UnloadedTask
from windlass.core.ending import Ending
from windlass.errors import JobInterrupted, StartRefused
from windlass.threads.start import start_thread
from windlass.worker.executors.user_code import interrupt, withdraw
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.attempt import Call as Arguments
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")


class ThreadExecutor:
    """Threads that wait on one queue; started when they are first needed, at most one per slot."""

    def __init__(self, *, attempts: AttemptRules, dispatcher: Dispatcher) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._queue: SimpleQueue[Run | None] = SimpleQueue()
        self._slots: dict[ThreadSlot, Thread] = {}
        self._most = dispatcher.concurrency
        self._is_closed = False

    def start(self, runs: list[Run]) -> list[Run]:
        refused: list[Run] = []
        try:
            while len(self._slots) < min(self._most, self._dispatcher.running_count):
                slot = ThreadSlot()
                self._slots[slot] = start_thread(
                    self._work, slot, name=f"windlass-run-{len(self._slots) + 1}", runs_user_code=True
                )
        except StartRefused:
            seated = max(0, len(runs) - self._count_unseated())
            runs, refused = runs[:seated], runs[seated:]
        for run in runs:
            self._queue.put(run)
        return refused

    def check(self, now: float) -> None:
        """Remove threads that ended by themselves; what they ran has failed."""
        for slot, thread in list(self._slots.items()):
            if not (thread.is_alive() or slot.is_abandoned or self._is_closed):
                self._slots.pop(slot, None)
                log.error("%s has ended unexpectedly; another thread takes its place", thread.name)
                for run in [run for run in self._dispatcher.running() if run.slot is slot]:
                    self._fail(run, RuntimeError(f"{thread.name}, the thread that ran this job, has ended"))

    def interrupt(self, run: Run) -> None:
        """Raise in the run's thread, if it is in user code; a thread that waits in C raises when that call returns.

        Otherwise the run ``wants_interrupt``: the exception is raised when the thread leaves our code, or at a later
        try.
        """
        if isinstance(run.slot, ThreadSlot) and run.task.is_interruptible:
            run.slot.interrupt(run)

    def abandon(self, run: Run) -> None:
        """Leave the run its thread; the next run that finds none free gets a new one."""
        if isinstance(run.slot, ThreadSlot):
            run.slot.is_abandoned = True
            self._slots.pop(run.slot, None)

    def close(self) -> None:
        self._is_closed = True
        for _ in self._slots:
            self._queue.put(None)

    def _count_unseated(self) -> int:
        """How many runs are without a thread because all threads are taken."""
        ours = [run for run in self._dispatcher.running() if not (run.task.is_async or run.task.is_isolated)]
        return max(0, len(ours) - len(self._slots))

    def _fail(self, run: Run, error: Exception) -> None:
        ending = self._attempts.ending(run, self._attempts.raised(run, error))
        following = self._dispatcher.finished(run, ending, self)
        if following is not None:
            self._dispatcher.requeue([following])

    def _work(self, slot: ThreadSlot) -> None:
        while not slot.is_abandoned and (run := self._queue.get()) is not None:
            following: Run | None = run
            while following is not None:
                if isinstance(following.task, UnloadedTask):
                    following = self._load(following, following.task, slot)
                else:
                    following = self._dispatcher.finished(following, self._perform(following, slot), self)

    def _load(self, run: Run, task: UnloadedTask, slot: ThreadSlot) -> Run | None:
        """Import what a run needs; returns the run if it can go on here, else the next one."""
        run.slot = slot  # an import that never ends is abandoned like any run
        outcome = self._attempts.load(run, task)
        if outcome is not None:
            return self._dispatcher.finished(run, self._attempts.ending(run, outcome), self)
        if not run.task.is_async:
            return run
        self._dispatcher.requeue([run])
        return None

    def _perform(self, run: Run, slot: ThreadSlot) -> Ending:
        try:
            call = self._attempts.begin(run)
            if not isinstance(call, tuple):
                return self._attempts.ending(run, call)
            outcome = self._attempts.returned(run, slot.call(run, call))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = self._attempts.raised(run, error)
        return self._attempts.ending(run, outcome)


class ThreadSlot:
    """One thread, and the proof of whether it is in user code: only there may something be raised in it.

    Python raises an exception that is set for another thread at some later line of that thread. So the thread that sets
    it holds the lock and has checked that the run is inside user code; and the thread that leaves user code takes the
    lock and withdraws what has not been raised yet. What is raised on the way out, in our own lines, is caught there.

    Inside, user code calls our own code again (``enqueue``, ``progress``, ``result``), and logs, and waits. The
    thread's innermost frame says whether it is in user code in the strict sense; see ``user_code.py``.
    """

    __slots__ = ("_has_been_interrupted", "_inside", "_lock", "_thread", "is_abandoned")

    def __init__(self) -> None:
        self._lock = RLock()
        self._inside: Run | None = None
        self._thread = 0
        self._has_been_interrupted = False
        self.is_abandoned = False

    def call(self, run: Run, arguments: Arguments) -> object:
        """Run user code on this thread."""
        is_done, value = False, None
        try:
            self._enter(run)
            try:
                # A context of its own: what one job sets must not reach the next one on this thread.
                value = Context().run(_call, run, *arguments)
                is_done = True
            finally:
                self._leave()
        except JobInterrupted:
            self._leave_at_last()
            if not is_done:
                raise
        return value

    def interrupt(self, run: Run) -> None:
        with self._lock:
            if self._inside is run:
                # Cleared during the try: otherwise it could be raised twice, here and on the way out of our code.
                run.wants_interrupt = False
                if interrupt(self._thread):
                    self._has_been_interrupted = True
                else:
                    run.wants_interrupt = True

    def _enter(self, run: Run) -> None:
        with self._lock:
            self._thread, self._inside = get_ident(), run
            run.slot, run.thread = self, self._thread
        if run.stop is not None:
            raise JobInterrupted

    def _leave(self) -> None:
        try:
            self._lock.acquire()
            self._inside = None
            if self._has_been_interrupted:
                withdraw(self._thread)
                self._has_been_interrupted = False
        finally:
            # Not ``with``: something raised between the taking of the lock and its block would leave it taken.
            while self._lock._is_owned():  # type: ignore[attr-defined]  # noqa: SLF001  # as threading.Condition does
                self._lock.release()

    def _leave_at_last(self) -> None:
        """After something was raised on the way out."""
        while self._inside is not None or self._has_been_interrupted:
            with suppress(JobInterrupted):
                self._leave()


def _call(run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    running.set(run)
    return run.task.hooked(*args, **kwargs)
