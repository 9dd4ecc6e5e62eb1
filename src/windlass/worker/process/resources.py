"""Memory and CPU time of processes."""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def memory_of(process: int | str) -> int | None:
    """Resident bytes of a process, by its number or ``"self"``; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    return None


def resident_memory() -> int:
    """Resident bytes of this process; where the system does not say, their maximum so far."""
    now = memory_of("self")
    if now is not None:
        return now
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def cpu_of(process: int) -> float | None:
    """Seconds of processor time of a process, also of a dead one until it is reaped; None where it is unknown."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return None


def cpu_seconds() -> float:
    """Seconds of processor time so far, without child processes."""
    times = os.times()
    return times.user + times.system
