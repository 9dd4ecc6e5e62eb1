"""Starts this program again with the same arguments."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

EXIT_RESTART = 75
"""The exit code of a worker process that wants to be replaced."""
RESTARTED = "--afresh"
"""Says that a process replaces another one."""


def argv_of_this_program(arguments: Sequence[str]) -> list[str]:
    """The command that runs this program in a new process with other arguments."""
    own = len(sys.orig_argv) - len(sys.argv) + 1
    return [sys.executable, *sys.orig_argv[1:own], *arguments]


def reexec(folder: str) -> NoReturn:
    """Replace this process by a new one of the same program with the same arguments and ``RESTARTED``, under the same
    process id.

    ``folder`` is where it was started: paths in the arguments begin there, whatever folder jobs have changed to.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        # From here on no handler runs any more: a signal must end the process, not get lost.
        signal.signal(number, signal.SIG_DFL)
    os.chdir(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = [argument for argument in sys.argv[1:] if argument != RESTARTED]
    os.execv(sys.executable, argv_of_this_program([*arguments, RESTARTED]))  # noqa: S606  # our own command, once more
