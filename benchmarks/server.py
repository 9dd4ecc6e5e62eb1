"""The server that the rounds of a store share, and the CPU time that it uses. Imports nothing of Windlass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figures

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Server:
    """A server, or nothing at all where a store has none."""

    address: str = ""
    pid: int | None = None
    """Its first process; None where it has none on this machine, or where the machine does not tell of processes."""


class Meter:
    """Counts the CPU time of a server from when it is made."""

    def __init__(self, server: Server) -> None:
        self._pid = server.pid
        self._before = self._seconds()

    def per_job(self, jobs: int) -> Figures:
        """What a job cost the server so far; no figure where that cannot be known."""
        return {} if self._pid is None else {"server_cpu_us_per_job": self._used() / jobs * 1e6}

    def percent(self, seconds: float) -> Figures:
        """The share of one core that it used in so many seconds; no figure where that cannot be known."""
        return {} if self._pid is None else {"server_cpu_percent": self._used() / seconds * 100}

    def _used(self) -> float:
        return self._seconds() - self._before

    def _seconds(self) -> float:
        return 0.0 if self._pid is None else cpu_seconds(self._pid)


def cpu_seconds(pid: int) -> float:
    """CPU seconds, user and system, that a process, its descendants and those of them that have ended have used."""
    processes = dict(_processes())
    family: set[int] = set()
    generation = {pid}
    while generation:
        family |= generation
        generation = {child for child, process in processes.items() if process.parent in generation}
    return sum(processes[member].ticks for member in family if member in processes) / os.sysconf("SC_CLK_TCK")


def process_named(pid: int, names: tuple[str, ...]) -> int | None:
    """The pid, if a process of this machine has it and one of these names: a server elsewhere has pids of its own."""
    try:
        name = (_PROC / str(pid) / "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return pid if name in names else None


def parent_of(pid: int) -> int | None:
    """The parent of a process; None where the machine does not tell."""
    process = _process(pid)
    return None if process is None else process.parent


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    ticks: int
    """Of itself and of all children that it has waited for."""


def _processes() -> Iterator[tuple[int, _Process]]:
    for folder in _PROC.glob("[0-9]*"):
        process = _process(int(folder.name))
        if process is not None:  # it may have ended since it was listed
            yield int(folder.name), process


def _process(pid: int) -> _Process | None:
    try:
        status = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Behind the name, which stands in brackets and may hold any character: state, parent, ..., then four times.
    fields = status.rpartition(")")[2].split()
    return _Process(parent=int(fields[1]), ticks=sum(map(int, fields[11:15])))
