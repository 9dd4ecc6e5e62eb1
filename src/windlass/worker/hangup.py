"""SIGHUP, which means two things: a terminal that was closed, or a request for a fresh process."""

from __future__ import annotations

import os
import signal


def is_hangup_ours() -> bool:
    """Whether nobody else cares: neither the program, nor whoever started it to be left in peace (``nohup``)."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def hold_hangups() -> None:
    """Have those that come while nobody listens wait, also for the process that this one becomes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})


def is_at_terminal() -> bool:
    """Whether a terminal may hang up on this process. To be asked in time: of one that has, nothing can be learned."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
