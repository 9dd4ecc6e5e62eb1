"""Detects a call into our code from inside itself: signal handlers, finalisers.

A signal handler, a finaliser or a log handler runs on the thread that it interrupts, perhaps in the middle of one of
our calls, with a lock taken that only this thread can release.
"""

from __future__ import annotations

import sys
from threading import get_ident
from types import CodeType

from windlass.errors import ReentrantCall


class Reentry:
    """Enter it as a context manager around what must not be entered twice by one thread; the second time raises."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._inside: dict[int, CodeType] = {}
        """The function that entered, by thread."""

    def __enter__(self) -> None:
        thread, code = get_ident(), sys._getframe(1).f_code
        entered = self._inside.get(thread)
        if entered is not None and _is_under_way(entered):
            raise ReentrantCall(
                f"{self._what} was called while this thread is in the middle of it: from a signal handler, a finaliser "
                "(__del__, weakref or gc callback) or a log handler, which interrupted an earlier call. It would wait "
                "for itself. Leave a note there (set an Event, put into a queue.SimpleQueue), and make the call from "
                "ordinary code or from a thread of its own"
            )
        self._inside[thread] = code

    def __exit__(self, *_: object) -> None:
        self._inside.pop(get_ident(), None)


def _is_under_way(code: CodeType) -> bool:
    """Whether a function that this thread has entered is still on its stack: an exception from outside may have struck
    it between its entry and the beginning of its block, so that it never left.
    """
    frame = sys._getframe(2).f_back  # the caller of the function that enters now
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False
