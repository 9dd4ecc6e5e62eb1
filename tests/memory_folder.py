"""The tests' files in memory: most of them are databases, and waiting for a disk proves nothing about us.

What is about disks brings its own: one that is full, one that fails, one that loses power.
"""

from __future__ import annotations

import os
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import mkdtemp

import pytest

_MEMORY = Path("/dev/shm")  # what is made there has a name of its own
_PREFIX = "windlass-tests-"
_ROOM = 8 << 30
"""Bytes that have to be free; all tests together leave three to four gigabytes, and their servers need some, too."""

_ours = pytest.StashKey[Path]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.basetemp or hasattr(config, "workerinput") or not _has_room():
        return
    _remove_abandoned()
    config.stash[_ours] = Path(mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_MEMORY))
    config.option.basetemp = config.stash[_ours] / "tests"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a test that failed has left can be looked at until the next run."""
    if session.testsfailed and _ours in session.config.stash:
        del session.config.stash[_ours]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_ours, None):
        rmtree(folder, ignore_errors=True)


def _has_room() -> bool:
    try:
        return min(disk_usage(_MEMORY).free, _free_memory()) >= _ROOM
    except (OSError, ValueError, IndexError):
        return False


def _free_memory() -> int:
    """Bytes that are free, or would be if they were asked for."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))


def _remove_abandoned() -> None:
    """What runs have left behind that were killed."""
    for folder in _MEMORY.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path(f"/proc/{owner}").exists():
            rmtree(folder, ignore_errors=True)
