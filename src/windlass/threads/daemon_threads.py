"""Threads for what coroutines hand to ``asyncio.to_thread``."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from threading import Semaphore
from typing import Any

from windlass.errors import StartRefused
from windlass.threads.start import start_thread


class DaemonThreads(ThreadPoolExecutor):
    """A pool that does not keep the process from ending.

    The interpreter waits for the threads of a plain pool when it ends, so one call that blocks would hold up a worker
    or a server that is to stop. An event loop takes no other kind of pool, hence the base class, of which nothing is
    used.
    """

    def __init__(self) -> None:
        super().__init__()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._at_rest = Semaphore(0)
        self._started = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        # First the thread, then the call: a call whose caller got an error must not run all the same.
        if not self._at_rest.acquire(blocking=False) and self._started < self._max_workers:
            self._start_one()
        self._calls.put(partial(_fulfil, future, partial(function, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let idle threads end; busy ones are left behind."""
        for _ in range(self._started):
            self._calls.put(None)

    def _start_one(self) -> None:
        """Only the first thread is needed: a call can also wait for the threads there are."""
        try:
            start_thread(self._work, name=f"windlass-to-thread-{self._started + 1}", runs_user_code=True)
        except StartRefused:
            if not self._started:
                raise
        else:
            self._started += 1

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            self._at_rest.release()


def _fulfil(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # raised where the call is awaited
        future.set_exception(error)
    else:
        future.set_result(result)
