"""The threads on which async callers use the store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

from windlass.errors import StartRefused
from windlass.threads.process_end import STORE_THREADS

_MOST = 4


class StoreThreads(ThreadPoolExecutor):
    """A pool that makes do with fewer threads where the system refuses more.

    A plain pool raises when a thread is refused, although it has queued the call and will make it: the caller would
    repeat a call that was made already.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=_MOST, thread_name_prefix=STORE_THREADS)
        self._idle_semaphore = _IdleThreads()  # type: ignore[assignment]  # the pool makes these two calls alone

    def _adjust_thread_count(self) -> Any:
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError) as error:
            if not self._threads:
                raise StartRefused(f"the system refuses a thread ({error}); look at its limits") from error


class _IdleThreads:
    """Counts threads that wait for a call.

    An exception from outside, of a signal handler say, that strikes in a semaphore of ``threading`` leaves its lock
    taken: no further call would ever be made. A ``SimpleQueue`` has no such place.
    """

    def __init__(self) -> None:
        self._waiting: SimpleQueue[None] = SimpleQueue()

    def acquire(self, timeout: float) -> bool:
        try:
            self._waiting.get(timeout=timeout)
        except Empty:
            return False
        return True

    def release(self) -> None:
        self._waiting.put(None)
