"""Plain functions in threads of our own."""

from __future__ import annotations

from contextvars import Context
from queue import SimpleQueue
from threading import Thread

from windlass.active import running
from windlass.core.ending import Ending
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.run import Run


class ThreadExecutor:
    """Threads that wait on one queue; started when they are first needed, at most one per slot."""

    def __init__(self, *, attempts: Attempts, dispatcher: Dispatcher) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._queue: SimpleQueue[Run | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._most = dispatcher.concurrency

    def start(self, runs: list[Run]) -> None:
        while len(self._threads) < min(self._most, self._dispatcher.running_count):
            thread = Thread(target=self._work, name=f"windlass-run-{len(self._threads) + 1}", daemon=True)
            self._threads.append(thread)
            thread.start()
        for run in runs:
            self._queue.put(run)

    def interrupt(self, run: Run) -> None:
        """A thread sees its run's ``stop`` at its next ``checkpoint()`` or look at ``job.cancelled``."""

    def close(self) -> None:
        """Let idle threads end; one that still runs user code is left behind."""
        for _ in self._threads:
            self._queue.put(None)

    def _work(self) -> None:
        while (run := self._queue.get()) is not None:
            following: Run | None = run
            while following is not None:
                following = self._dispatcher.finished(following, self._perform(following), self)

    def _perform(self, run: Run) -> Ending:
        try:
            call = self._attempts.begin(run)
            if not isinstance(call, tuple):
                return self._attempts.ending(run, call)
            # A context of its own: what one job sets must not reach the next one on this thread.
            outcome = self._attempts.returned(run, Context().run(_call, run, *call))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = self._attempts.raised(run, error)
        return self._attempts.ending(run, outcome)


def _call(run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
    running.set(run)
    return run.task.function(*args, **kwargs)
