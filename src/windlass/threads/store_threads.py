"""The threads on which async callers use the store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from windlass.errors import StartRefused

_MOST = 4


class StoreThreads(ThreadPoolExecutor):
    """A pool that makes do with fewer threads where the system refuses more.

    A plain pool raises when a thread is refused, although it has queued the call and will make it: the caller would
    repeat a call that was made already.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=_MOST, thread_name_prefix="windlass-store")

    def _adjust_thread_count(self) -> Any:
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError) as error:
            if not self._threads:
                raise StartRefused(f"the system refuses a thread ({error}); look at its limits") from error
