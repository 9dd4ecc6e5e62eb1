"""What a reader of the figures must know of the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path

from benchmarks.disk import IN_MEMORY, file_system, fsync_milliseconds
from benchmarks.server import Server
from benchmarks.stores import STORES

_BUSY = 0.3
"""Load average per core above which somebody else is at work."""


def facts(folder: Path, servers: Mapping[str, Server]) -> dict[str, str]:
    """Cores, versions, the disk."""
    shown = {
        "machine": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": str(cores()),
        "load at start": f"{os.getloadavg()[0]:.2f}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for name, server in servers.items():
        shown.update(STORES[name].facts(server))
    shown["folder"] = f"{folder} ({file_system(folder)})"
    shown["fsync of 4 KiB there"] = f"{fsync_milliseconds(folder):.3f} ms at the start"
    return shown


def warnings(folder: Path, servers: Mapping[str, Server]) -> list[str]:
    """Why these figures may mean little."""
    found = []
    if os.getloadavg()[0] / cores() > _BUSY:
        found.append("others use this machine now (see the load): the figures say little")
    if file_system(folder) in IN_MEMORY:
        found.append(f"{folder} lies in memory: nothing here is durable; set WINDLASS_BENCH_DIR to a folder on a disk")
    for name, server in servers.items():
        found += STORES[name].warnings(server)
    return found


def cores() -> int:
    """The cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
