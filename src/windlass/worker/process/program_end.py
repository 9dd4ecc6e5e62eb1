"""Ctrl-C and the end of a program that has a worker inside."""

from __future__ import annotations

import atexit
import logging
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakMethod

from windlass.worker.runs.run import Run

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Runner

log = logging.getLogger("windlass.worker")

_NAMED = 3
_Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | signal.Handlers | None"
"""What ``signal.getsignal`` gives."""


class NextInterrupt:
    """Counts Ctrl-C instead of raising it or cancelling a task, while a worker stops; does nothing where the program
    has its own handler.
    """

    def __init__(self) -> None:
        self._has_come = False
        self._former: _Handler = None

    def __enter__(self) -> NextInterrupt:
        handler = signal.getsignal(signal.SIGINT)
        is_usual = handler is signal.default_int_handler or _runner_of(handler) is not None
        if is_usual and current_thread() is main_thread():
            self._former = signal.signal(signal.SIGINT, self._received)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)

    def has_come(self) -> bool:
        return self._has_come

    def has_come_to(self, loop: AbstractEventLoop) -> bool:
        """The same while the main thread runs a loop, which is woken to look: one that sleeps does not notice a signal
        that came just before it went to sleep, or that the system has given to another thread.
        """
        with suppress(RuntimeError):  # it was closed meanwhile
            loop.call_soon_threadsafe(_look)
        return self._has_come

    def _received(self, number: int, frame: FrameType | None) -> None:
        self._has_come = True


def _look() -> None:
    """Python calls handlers of signals before the next line that the main thread runs."""


def has_interrupted_loop() -> bool:
    """Whether Ctrl-C has cancelled the main task of ``asyncio.run``, which a task cannot see."""
    runner = _runner_of(signal.getsignal(signal.SIGINT))
    # Python has no public name for it. Where the name differs, a cancelled task counts as interrupted.
    return runner is not None and getattr(runner, "_interrupt_count", 1) > 0


def _runner_of(handler: _Handler) -> Runner | None:
    """The runner of asyncio whose handler this is."""
    owner = getattr(handler.func, "__self__", None) if isinstance(handler, partial) else None
    if owner is None:
        return None
    from asyncio import Runner  # a sixth of our start-up; here it is loaded already

    return owner if isinstance(owner, Runner) else None


def log_waiting(runs: Sequence[Run], grace: float) -> None:
    """Log what a worker waits for that was stopped by Ctrl-C."""
    if not runs:
        return
    named = ", ".join(f"{run.job.task} ({run.job.id})" for run in runs[:_NAMED])
    more = f" and {len(runs) - _NAMED} more" if len(runs) > _NAMED else ""
    log.warning("stopping: waiting up to %g s for %s%s; another Ctrl-C stops now", grace, named, more)


class AtExit:
    """Stops a worker that still runs when the program ends."""

    def __init__(self, stop: Callable[[], None]) -> None:
        # Weak, so that an unreferenced worker does not live as long as the process.
        self._stop = WeakMethod(stop)
        self._process = os.getpid()

    def register(self) -> None:
        atexit.register(self._act)

    def unregister(self) -> None:
        atexit.unregister(self._act)

    def _act(self) -> None:
        stop = self._stop()
        if stop is not None and self._process == os.getpid():
            stop()
