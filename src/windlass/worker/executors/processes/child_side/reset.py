"""Resets what a job may change for the next: folder, environment, signals."""

from __future__ import annotations

import os
import signal

# ``signal.getsignal`` looks up an enum member, which takes longer than all the rest of ``restore``.
from _signal import getsignal  # type: ignore[import-not-found]
from contextlib import suppress

from windlass.worker.process.forked_signals import SignalHandler

_STANDARD_FILES = (0, 1, 2)


class ProcessState:
    """Working folder, signals and standard files of a child, as they were before the first job."""

    def __init__(self, on_terminate: SignalHandler) -> None:
        self._on_terminate = on_terminate
        self._folder = os.getcwd()

    def restore(self) -> None:
        """Undo what a job changed; costs next to nothing when it changed nothing."""
        if getsignal(signal.SIGTERM) is not self._on_terminate:
            signal.signal(signal.SIGTERM, self._on_terminate)
        if getsignal(signal.SIGINT) is not signal.SIG_IGN:
            # Ctrl-C is meant for the worker, which stops its children as it needs.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._return_home()
        for number in _STANDARD_FILES:
            _reopen_if_closed(number)

    def _return_home(self) -> None:
        with suppress(OSError):  # it was deleted; the next job has to run elsewhere
            if _current_folder() != self._folder:
                os.chdir(self._folder)


def has_timer() -> bool:
    """Whether an alarm is set."""
    return signal.getitimer(signal.ITIMER_REAL)[0] > 0


def stop_timer() -> None:
    """Cancel an alarm that a job has left: it would go off in the next job, or between the two."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _current_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # deleted under us
        return None


def _reopen_if_closed(number: int) -> None:
    """Reopen a closed standard file: otherwise the next file that a job opens gets its number, and its prints."""
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere == number:
            os.set_inheritable(number, True)  # a program that the next job starts needs it too
        else:
            os.dup2(nowhere, number)
            os.close(nowhere)
