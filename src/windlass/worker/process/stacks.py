"""Where every thread and coroutine of a worker is at this moment."""

from __future__ import annotations

import _thread
import faulthandler
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, Protocol

from windlass import clock
from windlass.core.codec.stored_text.storable import storable

_LONGEST = 32 * 1024
_DEEPEST = 60
_RUNNING_JOBS = ("windlass-run-", "windlass-to-thread-", "windlass-loop")
_KEPT = 60.0
"""Seconds for which an answer is shown."""


class Running(Protocol):
    """A run that is under way."""

    @property
    def job(self) -> Any: ...
    @property
    def started(self) -> float | None: ...
    @property
    def slot(self) -> Any: ...


def stacks(running: Iterable[Running]) -> str:
    """What runs, then the stack of each coroutine that runs a job and of each thread, outermost call first; at most
    32 KiB. Values of variables are not among it.

    What may run user code comes first: it is asked for most, and stays if the rest has to be cut.
    """
    return storable("\n".join([*_jobs(running), *_coroutines(running), *_threads()]), _LONGEST)


def _jobs(running: Iterable[Running]) -> Iterator[str]:
    now = clock.monotonic()
    for run in running:
        since = "not started" if run.started is None else f"for {now - run.started:.1f} s"
        yield f"running: job {run.job.id} ({run.job.task}) {since}"


def _threads() -> Iterator[str]:
    """Threads that are at the same place share one stack: a hundred idle ones are a line."""
    frames = sys._current_frames()  # the documented way to them
    names: dict[str, list[str]] = {}
    for thread in sorted(threading.enumerate(), key=_place):
        frame = frames.get(thread.ident or 0)
        if frame is not None:
            names.setdefault(_written(traceback.walk_stack(frame), is_innermost_first=True), []).append(thread.name)
    for stack, sharing in names.items():
        yield f"\n{'thread' if len(sharing) == 1 else 'threads'} {', '.join(sharing)}:"
        yield stack


def _place(thread: threading.Thread) -> int:
    """Threads that run jobs, those of the program, then the worker's own."""
    if thread.name.startswith(_RUNNING_JOBS):
        return 0
    return 2 if thread.name.startswith("windlass-") else 1


def _coroutines(running: Iterable[Running]) -> Iterator[str]:
    for run in running:
        find = getattr(run.slot, "coroutine_of", None)
        coroutine = None if find is None else find(run)
        if coroutine is not None:
            yield f"\ncoroutine of job {run.job.id} ({run.job.task}):"
            yield _written(_awaited(coroutine), is_innermost_first=False)


def _awaited(coroutine: Any) -> Iterator[tuple[FrameType, int]]:
    """The frames of a coroutine and of what it waits for, outermost first."""
    for _ in range(_DEEPEST):
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is None:
            return
        yield frame, frame.f_lineno
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)


def _written(frames: Iterable[tuple[FrameType, int]], *, is_innermost_first: bool) -> str:
    found = list(frames)[:_DEEPEST]
    if is_innermost_first:
        found.reverse()
    return "".join(traceback.StackSummary.extract(iter(found), capture_locals=False).format()).rstrip("\n")


class StackAnswer:
    """Answers an operator who asks for the stacks: the answer is a part of the worker's reports for a minute."""

    def __init__(
        self,
        running: Callable[[], Sequence[Running]] = list,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        self._running = running
        self._monotonic = monotonic
        self._at = 0.0
        self._text = ""
        self.asked: str | None = None
        """The token of the question that was answered last."""

    def ask(self, token: str | None) -> None:
        """Take a question that the store has, unless it was answered already."""
        if token is not None and token != self.asked:
            self._text, self._at = stacks(self._running()), self._monotonic()
            self.asked = token

    @property
    def shown(self) -> dict[str, str] | None:
        """The answer as the report has it."""
        if self.asked is None or self._monotonic() - self._at > _KEPT:
            return None
        return {"asked": self.asked, "text": self._text}


class StackSignal:
    """While it is entered, SIGUSR1 writes the stacks of all threads to stderr, and SIGUSR2 does so where the
    interpreter hangs. A program's own handlers stay.

    Python's fault handler needs no interpreter that runs, and therefore reads stacks without its lock: threads that run
    or start meanwhile may end the process by that. So it is for the second signal alone.
    """

    def __init__(self) -> None:
        self._is_ours = False
        self._is_last_resort_ours = False

    def __enter__(self) -> StackSignal:
        if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
            signal.signal(signal.SIGUSR1, _asked)
            self._is_ours = True
        if signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL:
            # What stands for stderr may be no file.
            with suppress(AttributeError, OSError, ValueError, RuntimeError):
                faulthandler.register(signal.SIGUSR2, all_threads=True, chain=False)
                self._is_last_resort_ours = True
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_ours:
            signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        if self._is_last_resort_ours:
            faulthandler.unregister(signal.SIGUSR2)


def _asked(number: int, frame: FrameType | None) -> None:
    """On a thread of its own: the one that was interrupted may hold any lock. It is begun without ``threading``, which
    takes one too.
    """
    with suppress(RuntimeError):  # the system gives no thread
        _thread.start_new_thread(_write_stacks, ())


def _write_stacks() -> None:
    text = f"stacks of process {os.getpid()}{stacks(())}\n".encode(errors="backslashreplace")
    # Whatever stands for stderr, its lock may be taken by a thread that hangs.
    with suppress(OSError, AttributeError, ValueError):
        file = sys.stderr.fileno()
        while text:
            text = text[os.write(file, text) :]
