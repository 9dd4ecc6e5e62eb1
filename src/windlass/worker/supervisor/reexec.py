"""Starts this program again with the same arguments."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

EXIT_RESTART = 75
"""The exit code of a worker process that wants to be replaced."""
RESTARTED = "--afresh"
"""Says that a process replaces another one."""
_STOPPING = (signal.SIGTERM, signal.SIGINT)


def argv_of_this_program(arguments: Sequence[str]) -> list[str]:
    """The command that runs this program in a new process with other arguments."""
    own = len(sys.orig_argv) - len(sys.argv) + 1
    return [sys.executable, *sys.orig_argv[1:own], *arguments]


def reexec(folder: str) -> NoReturn:
    """Replace this process by a new one of the same program with the same arguments and ``RESTARTED``, under the same
    process id.

    ``folder`` is where it was started: paths in the arguments begin there, whatever folder jobs have changed to.
    """
    # From here on no handler runs any more, and no signal may get lost: it waits for ``stopping_early`` in the new
    # process. One that reaches another thread of this one, which has no use for it, ends the process.
    for number in _STOPPING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    os.chdir(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = [argument for argument in sys.argv[1:] if argument != RESTARTED]
    os.execv(sys.executable, argv_of_this_program([*arguments, RESTARTED]))  # noqa: S606  # our own command, once more


@contextmanager
def stopping_early() -> Iterator[None]:
    """In the new process: end in order at a signal that came while one process took the place of the other, or that
    comes before the worker handles signals. Nothing runs yet.
    """
    former = {number: signal.signal(number, _stop_early) for number in _STOPPING}
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        yield
    except _StoppedEarly:
        sys.exit(0)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class _StoppedEarly(BaseException):
    """Not a ``SystemExit``, which counts as an error of the module that is imported at that moment."""


def _stop_early(number: int, frame: object) -> NoReturn:
    raise _StoppedEarly
