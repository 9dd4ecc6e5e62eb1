"""The command that started this process, to give it once more."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

START_AGAIN = 75
"""The exit code of a worker process that wants to be replaced by a fresh one."""
AFRESH = "--afresh"
"""Tells a process that it goes on where another one was."""


def same_program(arguments: Sequence[str]) -> list[str]:
    """The command that runs this program in a new process with other arguments."""
    own = len(sys.orig_argv) - len(sys.argv) + 1
    return [sys.executable, *sys.orig_argv[1:own], *arguments]


def start_anew(folder: str) -> NoReturn:
    """Become a fresh process of the same program with the same arguments and ``AFRESH``, under the same process id.

    ``folder`` is where it was started: what the arguments name lies there, wherever jobs have gone meanwhile.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        # From here on no line of ours will see a signal; one that comes must end the process, not get lost.
        signal.signal(number, signal.SIG_DFL)
    os.chdir(folder)
    sys.stdout.flush()
    sys.stderr.flush()
    arguments = [argument for argument in sys.argv[1:] if argument != AFRESH]
    os.execv(sys.executable, same_program([*arguments, AFRESH]))  # noqa: S606  # our own command, once more
