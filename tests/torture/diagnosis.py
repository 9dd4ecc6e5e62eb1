"""What a finding is explained by when something stands still: the stacks of all threads, and the ends of the logs."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Event
from time import monotonic

from windlass import State, Windlass
from windlass.core.state import FINISHED
from windlass.errors import WindlassError

_SIGNAL = signal.SIGRTMAX
"""One that workers have no use for."""
_WITHIN = 10.0
"""Seconds in which a process tells where it stands; one that is paused does not."""
_SETTLED = 0.3
"""Seconds after which a file that did not grow is complete."""
_OF_STACKS = 20_000
_OF_LOG = 4_000
_JOBS = 8
"""Jobs whose lines in the logs are shown, with as many lines of each."""
_LINES = 12


def answer_in(folder: Path) -> None:
    """Let this process write the stacks of its threads to a file when it is asked.

    The handler is C code: it answers also while the interpreter is held, and opens no file.
    """
    faulthandler.register(_SIGNAL, file=_stacks(folder, os.getpid()).open("ab", buffering=0), all_threads=True)


def diagnose(pids: Iterable[int], folder: Path) -> str:
    """Where each of these processes stands now, and what the logs in the folder said last."""
    asked = {pid: _stacks(folder, pid) for pid in pids if catches(pid, _SIGNAL)}
    sizes = {pid: _size(path) for pid, path in asked.items()}
    for pid in asked:
        with suppress(ProcessLookupError):
            os.kill(pid, _SIGNAL)
    _await_quiet(lambda: [_size(path) for path in asked.values()], list(sizes.values()))
    stacks = [(f"stacks of process {pid}", _end(path, _OF_STACKS, since=sizes[pid])) for pid, path in asked.items()]
    logs = [(f"end of {path.name}", _end(path, _OF_LOG)) for path in sorted(folder.glob("*.log"))]
    return "\n".join(_section(title, text) for title, text in (*stacks, *logs))


def stories(app: Windlass) -> str:
    """What the store knows of the workers, and why the first jobs that have not ended do not run."""
    try:
        workers = [f"{view.name} ({view.id}): {view.state}, {view.info}" for view in app.workers()]
        waiting = [job for state in State if state not in FINISHED for job in app.jobs(state=state, limit=_JOBS)]
        jobs = [f"{job.id} ({job.queue}, {job.state}): {job.why()}" for job in waiting]
    except WindlassError as error:
        return _section("what the store knows", str(error))
    return "\n".join([_section("workers", "\n".join(workers)), _section("jobs that have not ended", "\n".join(jobs))])


def lines_about(jobs: Iterable[str], folder: Path) -> str:
    """What the logs in the folder say about these jobs."""
    lines = [
        (path.stem, line)
        for path in sorted(folder.glob("*.log"))
        for line in path.read_text(errors="replace").splitlines()
    ]
    sections = []
    for job in islice(jobs, _JOBS):
        named = re.compile(rf"(?<![\w-]){re.escape(job)}(?![\w-])")
        about = [f"{name}: {line}" for name, line in lines if named.search(line)]
        sections.append(_section(f"lines about job {job}", "\n".join(about[-_LINES:])))
    return "\n".join(sections)


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for a signal, which would end it otherwise."""
    return bool(_caught(pid) >> (number - 1) & 1)


def _caught(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return int(line.split()[1], 16)
    return 0


def _await_quiet(sizes: Callable[[], list[int]], before: list[int]) -> None:
    """Until every file has grown and none grows any more, or the time is over."""
    until, pause, last = monotonic() + _WITHIN, Event(), before
    while monotonic() < until:
        pause.wait(_SETTLED)
        seen = sizes()
        if seen == last and all(now > was for now, was in zip(seen, before, strict=True)):
            return
        last = seen


def _stacks(folder: Path, pid: int) -> Path:
    return folder / f"stacks-{pid}.txt"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _end(path: Path, most: int, *, since: int = 0) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(since, _size(path) - most))
        return file.read(most).decode(errors="replace")


def _section(title: str, text: str) -> str:
    return "\n".join([f"--- {title}", *_indented(text or "(nothing)")])


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in text.splitlines())
