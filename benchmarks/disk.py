"""Where the files of a run lie, and how fast that disk is."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.channel import ROOT

IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
_SAMPLES = 100


def base_folder() -> Path:
    """``$WINDLASS_BENCH_DIR``, else the first of the usual places that lies on a disk."""
    asked = os.environ.get("WINDLASS_BENCH_DIR")
    if asked:
        return Path(asked).absolute()
    candidates = [Path(tempfile.gettempdir()), Path("/var/tmp"), ROOT]
    return next((folder for folder in candidates if _is_usable(folder)), candidates[0])


def _is_usable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK) and file_system(folder) not in IN_MEMORY


def file_system(folder: Path) -> str:
    """The type of the file system, such as ``ext4``; "unknown" where the system does not tell."""
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return "unknown"
    path = folder.resolve()
    # A later mount hides an earlier one on the same place.
    holding = [(len(place), kind) for place, kind in mounts if path.is_relative_to(place)]
    longest = max((length for length, _ in holding), default=0)
    return next((kind for length, kind in reversed(holding) if length == longest), "unknown")


def fsync_milliseconds(folder: Path) -> float:
    """The median time of writing 4 KiB and having it on disk."""
    samples = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(_SAMPLES):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            samples.append(time.perf_counter() - began)
    return statistics.median(samples) * 1e3
