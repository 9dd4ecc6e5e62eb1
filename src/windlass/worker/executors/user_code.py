"""Where a thread may be interrupted: in user code only.

An exception that is raised in a thread from outside can strike between the taking of a lock and the line that would
release it. The documentation warns users of that; but what all threads of the process share, such as a log handler's
lock, must not suffer. So the innermost Python frame of the thread decides.
"""

from __future__ import annotations

import ctypes
import dis
import sys
from contextlib import suppress
from threading import Condition, Thread, get_ident
from types import FrameType

from windlass.errors import JobInterrupted

_SHELTERED = frozenset(
    ("windlass", "logging", "threading", "_threading_local", "queue", "importlib", "contextlib", "concurrent")
)
"""Packages whose code is never interrupted."""

_is_user_code: dict[str, bool] = {"": True}
"""By the name of a module; the empty one is that of code without a name."""


def _places_of_waiting() -> frozenset[int]:
    """Where ``Condition.wait`` blocks. Events, queues and futures wait there, and whatever is raised there, it restores
    its state: the standard library expects ``KeyboardInterrupt``.
    """
    places: set[int] = set()
    method, has_released = "", False
    for instruction in dis.get_instructions(Condition.wait):
        if instruction.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            method = str(instruction.argval)
        elif instruction.opname.startswith(("CALL", "PRECALL")):
            has_released = has_released or method == "_release_save"
            if has_released and method == "acquire":
                places.add(instruction.offset)
    return frozenset(places)


_WAIT = Condition.wait.__code__
_WAITING = _places_of_waiting()
_START = Thread.start.__code__
"""``Thread.start`` also waits, until the new thread has begun. At first the state of the new thread has the number of
the starting one, so an exception that is set for the starting thread may be raised in the new one, and nothing would
ever end that wait.
"""

_SYMBOL = ("PyThreadState_SetAsyncExc", ctypes.pythonapi)
_set_exception = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.py_object)(_SYMBOL)
_set_none = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p)(_SYMBOL)


def is_user_code(frame: FrameType | None) -> bool:
    """Whether an exception may be raised in this frame, which is the innermost one of its thread."""
    if frame is None:
        return False
    name = frame.f_globals.get("__name__", "")
    _learn(name)
    if frame.f_code is not _WAIT or frame.f_lasti not in _WAITING:
        return _is_user_code[name]
    waiter = None if frame.f_back is None else frame.f_back.f_back
    return waiter is None or waiter.f_code is not _START


def interrupt(thread: int) -> bool:
    """Raise ``JobInterrupted`` in a thread if it is in user code at this moment; a call in C returns first.

    Between the check of the thread's frame and the raising no other thread may get the interpreter, or the check would
    be out of date. Python hands it over only at the start of a function, at a jump back and after a call; so there is
    no call in between, and the frame is read by a ``for`` statement.
    """
    for frames in iter(sys._current_frames, None):
        if thread not in frames:
            return False
        frame = frames[thread]
        name = frame.f_globals["__name__"] if "__name__" in frame.f_globals else ""  # noqa: SIM401  # no call
        if name not in _is_user_code:
            _learn(name)
            continue
        if frame.f_code is _WAIT and frame.f_lasti in _WAITING:
            waiter = None if frame.f_back is None else frame.f_back.f_back
            may_interrupt = waiter is None or waiter.f_code is not _START
        else:
            may_interrupt = _is_user_code[name]
        if may_interrupt:
            _set_exception(thread, JobInterrupted)
        return may_interrupt
    return False


def withdraw(thread: int) -> None:
    """Withdraw an exception that was set for a thread and has not been raised yet."""
    _set_none(thread, None)
    if sys.version_info < (3, 13):
        _forget()


class _Forgotten(BaseException):
    """Raised and caught at once."""


_FORGETTING = 100
"""How often it is tried."""


def _forget() -> None:
    """Let the interpreter forget that a thread had an exception to raise.

    Before 3.13 it remembers that until some thread has raised one, and checks for it at every step from then on: all
    code gets slower, and under a debugger or coverage, on 3.11, a function that begins never gets past the check.
    """
    with suppress(_Forgotten):
        # Repeated, because one try has no effect if it strikes inside a finaliser, or if another thread gives up the
        # interpreter just then. Not without end: a slow interpreter is better than a thread that never comes back.
        for _ in range(_FORGETTING):
            _set_exception(get_ident(), _Forgotten)
        _set_none(get_ident(), None)


def _learn(name: str) -> None:
    if name not in _is_user_code:
        _is_user_code[name] = str(name).partition(".")[0] not in _SHELTERED
