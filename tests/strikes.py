"""Exceptions from outside, at every place where the interpreter can raise one.

Python looks for signals, and for exceptions that another thread set, at the start of a function, at a jump back and
after a call that was not one of a Python function. A sweep does something again and again, and strikes one place
further each time, until there is none left.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread, get_ident
from types import CodeType, FrameType
from typing import Any

from tests.waiting import PATIENCE
from windlass.worker.executors.user_code import withdraw

_LOOKS = frozenset(
    number
    for name, number in dis.opmap.items()
    if name.startswith(("CALL", "RESUME")) or ("JUMP" in name and "BACKWARD" in name)
)

_FORGET_EVERY = 0.25


class Strike(Exception):
    """What a signal handler of the user's might raise."""


def apart(work: Callable[[], None]) -> None:
    """Do something on a thread of its own. A strike while an exception is handled may leave that one behind, as the one
    that is being handled, for as long as the thread lives: later tests would find it in their tracebacks.
    """
    with ThreadPoolExecutor(1) as thread:
        thread.submit(work).result()


def without_standstill(work: Callable[[], None]) -> None:
    """``apart`` for work that might wait for itself: that fails in time, and the thread is left behind."""
    done: Future[None] = Future()

    def perform() -> None:
        try:
            work()
        except BaseException as error:  # for the test, which waits
            done.set_exception(error)
        else:
            done.set_result(None)

    Thread(target=perform, daemon=True).start()
    done.result(PATIENCE)


class Striker:
    """Raises once, at the place of this number, in code of modules whose names begin so.

    Several threads may work under one striker; only one of them is struck.
    """

    def __init__(self, place: int, *, modules: tuple[str, ...], error: type[BaseException] = Strike) -> None:
        self._left = place
        self._modules = modules
        self._error = error
        self._last: dict[FrameType, int] = {}
        self.struck: str | None = None
        """Where it has struck."""

    def during(self, work: Callable[[], object]) -> BaseException | None:
        """Do something while it strikes; what came of that."""
        before = sys.gettrace()
        with _forgetful():
            return self._traced(work, before)

    def _traced(self, work: Callable[[], object], before: Any) -> BaseException | None:
        sys.settrace(self._trace)
        try:
            work()
        except BaseException as error:  # whatever reaches the caller is what the test is about
            return error
        finally:
            sys.settrace(before)
            self._last.clear()
        return None

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        caller = frame.f_back
        if caller in self._last and frame.f_code.co_name != "__init__":
            self._last[caller] = 0  # Python looks after a call of a function in C, or of a class
        if not str(frame.f_globals.get("__name__")).startswith(self._modules):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._watch

    def _watch(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            before = self._last.get(frame)
            self._last[frame] = _code(frame.f_code)[frame.f_lasti]
            if before in _LOOKS and self.struck is None:
                self._left -= 1
                if self._left < 0:
                    self.struck = f"{frame.f_globals['__name__']}:{frame.f_lineno}"
                    self._strike()
        elif event == "return":
            self._last.pop(frame, None)
        return self._watch

    def _strike(self) -> None:
        raise self._error


@contextmanager
def _forgetful() -> Iterator[None]:
    """Under a tracer Python 3.11 looks for ever for an exception that was set for a thread and is not raised any more,
    because the thread has ended, say. Another thread of ours makes it forget that, at first what tests before this one
    have left.

    Not the thread that is struck: a strike in ``Thread.start`` leaves a thread behind that has not begun and bears the
    number of the one that started it, and what is set for this number would be raised there.
    """
    if sys.version_info >= (3, 12):
        yield
        return
    has_forgotten, over = Event(), Event()

    def forget() -> None:
        while not over.is_set():
            withdraw(get_ident())
            has_forgotten.set()
            over.wait(_FORGET_EVERY)

    thread = Thread(target=forget, name="forgets-interrupts", daemon=True)
    thread.start()
    has_forgotten.wait()
    try:
        yield
    finally:
        over.set()
        thread.join()


_codes: dict[CodeType, bytes] = {}


def _code(code: CodeType) -> bytes:
    found = _codes.get(code)
    if found is None:
        found = _codes[code] = code.co_code
    return found


def sweep(*modules: str, step: int = 1, error: type[BaseException] = Strike, most: int = 20_000) -> Iterator[Striker]:
    """Strikers for one place after the other; ends after the first that found no place to strike."""
    for place in range(0, most, step):
        striker = Striker(place, modules=modules, error=error)
        yield striker
        if striker.struck is None:
            return
    raise AssertionError(f"more than {most} places; is it the same thing each time?")
