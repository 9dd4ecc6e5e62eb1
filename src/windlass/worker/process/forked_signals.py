"""Lets SIGTERM end processes that jobs have forked."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import cache
from threading import local
from typing import Any

SignalHandler = Callable[[int, Any], None]


def reset_sigterm_in_forks(handler: SignalHandler) -> None:
    """Keep forked processes from inheriting our handler of SIGTERM, which would ignore it there.

    A process pool of a job ends its processes with SIGTERM, and would wait for them without end.
    """
    _not_inherited().append(handler)


@cache
def _not_inherited() -> list[SignalHandler]:
    """Our handlers; the first call registers what resets them in forks.

    The signal is blocked during a fork: one that comes then would be noted by the inherited handler, and forgotten when
    Python sets up the new process.
    """
    handlers: list[SignalHandler] = []
    before = local()

    def block() -> None:
        before.mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def unblock() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before.mask)

    def begin_as_a_copy() -> None:
        if signal.getsignal(signal.SIGTERM) in handlers:  # a handler of the job stays
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        unblock()

    os.register_at_fork(before=block, after_in_parent=unblock, after_in_child=begin_as_a_copy)
    return handlers
