"""SIGHUP: a closed terminal, or a request to restart."""

from __future__ import annotations

import os
import signal


def is_hangup_ours() -> bool:
    """Whether SIGHUP is ours to handle: neither the program nor ``nohup`` has set it."""
    return signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def hold_hangups() -> None:
    """Block SIGHUP until a handler is set, also in the program that replaces this one."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})


def is_at_terminal() -> bool:
    """Whether a terminal may hang up on this process. Call it before the terminal closes; afterwards it cannot be
    detected.
    """
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
