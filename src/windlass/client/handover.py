"""An answer on its way from a store thread to the task that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Handover:
    """Knows whether the task was cancelled before it got the answer, also while it has not heard of that: it does so
    only at the next turn of its loop, which may come after the end of the app.
    """

    def __init__(self, future: Future[Any], undo: Callable[[Any], None]) -> None:
        """Made in the task; ``undo`` takes the answer."""
        self.future = future
        self._undo = undo
        self._task = asyncio.current_task()
        self._cancels = self._count_cancels()

    @property
    def is_cancelled(self) -> bool:
        return self._count_cancels() > self._cancels

    def undo(self) -> None:
        """Undo the call, which has ended; may be repeated."""
        if not self.future.cancelled() and self.future.exception() is None:
            self._undo(self.future.result())

    def _count_cancels(self) -> int:
        return 0 if self._task is None else self._task.cancelling()
