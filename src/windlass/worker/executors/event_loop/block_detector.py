"""Detects that a coroutine blocks the loop, and which."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Mapping
from threading import Thread
from typing import Any

from windlass import clock
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")

_TOO_LONG = 1.0
_LINES = 4


class BlockDetector:
    """Sends a beat round the loop and measures when it comes back; ``check`` is called from another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, thread: Thread, runs: Mapping[Run, asyncio.Task[None]]) -> None:
        self._loop = loop
        self._thread = thread
        self._runs = runs
        self._sent: float | None = None
        """When the beat under way was sent, on the monotonic clock."""
        self._has_warned = False

    def is_blocked(self, now: float) -> bool:
        """Whether a beat has been under way for too long."""
        sent = self._sent
        return sent is not None and now - sent >= _TOO_LONG

    def check(self, now: float) -> None:
        """Send a beat if none is under way; warn, once, when one does not come back."""
        sent = self._sent  # the loop may turn at any moment
        if sent is None:
            if not self._runs:
                return
            self._has_warned = False
            self._sent = now
            self._loop.call_soon_threadsafe(self._came_back)
        elif now - sent >= _TOO_LONG and not self._has_warned:
            self._warn(now - sent)

    def _came_back(self) -> None:
        sent, self._sent = self._sent, None
        if self._has_warned and sent is not None:
            log.warning("the event loop turns again after %.1f s", clock.monotonic() - sent)

    def _warn(self, seconds: float) -> None:
        """Log what blocks the loop, if it is still blocked."""
        task = asyncio.current_task(self._loop)
        frame = sys._current_frames().get(self._thread.ident or 0)
        if task is None or frame is None:
            return
        self._has_warned = True  # before the line is logged: the loop may turn again at once
        lines = "".join(traceback.format_list(traceback.extract_stack(frame)[-_LINES:]))
        log.warning(
            "%s has blocked the event loop for %.1f s; no other async job goes on meanwhile. What blocks belongs into "
            "a plain def task or asyncio.to_thread. It is at:\n%s",
            self._name_of(task),
            seconds,
            lines.rstrip(),
        )

    def _name_of(self, task: asyncio.Task[Any]) -> str:
        """The job of a coroutine; a task that a job started itself has its own name."""
        for run, theirs in list(self._runs.items()):
            if theirs is task:
                return f"task {run.job.task!r} (job {run.job.id})"
        return f"coroutine {getattr(task.get_coro(), '__qualname__', 'without a name')!r}"
