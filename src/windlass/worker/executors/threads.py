"""Plain functions in threads of our own."""

from __future__ import annotations

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
        while len(self._threads) < self._most and len(self._threads) < self._wanted(runs):
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

    def _wanted(self, runs: list[Run]) -> int:
        return len(self._dispatcher.running()) if len(runs) > 1 or self._threads else 1

    def _work(self) -> None:
        while (run := self._queue.get()) is not None:
            following: Run | None = run
            while following is not None:
                following = self._dispatcher.finished(following, self._perform(following), self)

    def _perform(self, run: Run) -> Ending:
        call = self._attempts.begin(run)
        if not isinstance(call, tuple):
            return self._attempts.ending(run, call)
        token = running.set(run)
        try:
            value = run.task.function(*call[0], **call[1])
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = self._attempts.raised(run, error)
        else:
            outcome = self._attempts.returned(run, value)
        finally:
            running.reset(token)
        return self._attempts.ending(run, outcome)
