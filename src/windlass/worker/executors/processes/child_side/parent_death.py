"""Ends a child when its worker dies."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, *, by: signal.Signals = signal.SIGKILL) -> bool:
    """Have the system signal this process when its parent dies (Linux); false where only the pipe shows it."""
    if sys.platform != "linux":
        return False
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)
    return True
