"""Looking at the programs that a test has started."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.child_processes import children_of
from tests.waiting import eventually
from windlass import Windlass, command
from windlass.task import Request


def run(app: Windlass, *requests: Request, **options: Any) -> None:
    """Run requests to their ends on a worker that allows commands."""
    app.enqueue_many(requests)
    app.worker(allow_commands=True, **options).run_until_empty()


def shell(script: str, *arguments: object, **options: Any) -> Request:
    """A command that is a line of shell."""
    return command(["sh", "-c", script, "sh", *map(str, arguments)], **options)


def result_of(app: Windlass, request: Request, **options: Any) -> dict[str, Any]:
    """What a command gives on a worker that allows commands."""
    job = app.enqueue(request)
    app.worker(allow_commands=True, **options).run_until_empty()
    result: dict[str, Any] = job.result(timeout=0)
    return result


def number_in(file: Path) -> int:
    """The number that a program leaves in a file, once it has."""
    eventually(lambda: file.exists() and file.read_text().endswith("\n"), f"a number in {file.name}")
    return int(file.read_text())


def is_alive(pid: int) -> bool:
    """Whether a process still does something; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def await_end(pid: int) -> None:
    eventually(lambda: not is_alive(pid), f"the end of process {pid}")


def children() -> set[int]:
    """Our own children, those that wait to be reaped included."""
    return {*children_of(os.getpid())}


def open_pipes() -> int:
    """How many pipes we hold, and what else a program is watched with; files of the store come and go."""
    links = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return sum(link.startswith(("pipe:", "anon_inode:")) for link in links)
