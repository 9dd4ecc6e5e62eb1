"""A CPU that many want: for processes that are to starve there, and for those that starve them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


def move_to_one_cpu() -> None:
    """Stay on the same CPU as everybody else who calls this: on a machine with many, hogs elsewhere starve nobody."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def push_ahead() -> None:
    """Be served before others, at nice -5; who is not allowed to stays where it is."""
    try:
        os.nice(-5)
    except PermissionError:
        return


def stand_back() -> None:
    """Be five behind those who push ahead: at nice 0 where that is allowed, else at 5."""
    push_ahead()
    os.nice(5)


@dataclass(frozen=True, slots=True)
class Turns:
    """What a process had of the CPUs since its start, over all of its threads that live; in seconds."""

    had: float
    waited: float
    """How long it could have gone on and was not let."""


def turns_of(pid: int) -> Turns:
    had, waited = 0, 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        ran, delayed, _ = map(int, (thread / "schedstat").read_text().split())
        had, waited = had + ran, waited + delayed
    return Turns(had / 1e9, waited / 1e9)
