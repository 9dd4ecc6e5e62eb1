"""What this process uses, as the system tells it."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_memory() -> int:
    """Bytes of memory; where the system does not tell, the most it ever was."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def cpu_seconds() -> float:
    """Seconds of processor time so far, without child processes."""
    times = os.times()
    return times.user + times.system
