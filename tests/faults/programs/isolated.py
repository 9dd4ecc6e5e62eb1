"""Tasks for child processes, and a worker for them until a signal: ``python -m ... '{"children": 2}'``.

The worker is started as ``__main__``, so its children have to find the tasks there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

from tests.faults.programs.tasks import app, die, say
from windlass import current_job
from windlass.worker.process.signals import run_until_signalled


@app.task(name="hold_in_child", isolation="process")
def hold_in_child() -> int:
    """Runs until its gate is there; says in which process."""
    gate, pause = _begin(), Event()
    while not gate.exists():
        pause.wait(0.01)
    return os.getpid()


@app.task(name="deaf_in_child", isolation="process")
def deaf_in_child() -> None:
    """Runs for ever, whatever it is told."""
    _begin()
    while True:
        with suppress(BaseException):
            Event().wait(0.05)


@app.task(name="note_in_child", isolation="process")
def note_in_child(number: int) -> int:
    return number


@app.task(name="leave_in_child", isolation="process")
def leave_in_child() -> None:
    os._exit(3)


@app.task(name="venom_in_child", isolation="process")
def venom_in_child(how: str, after: float) -> None:
    """Takes its child down after so many seconds."""
    Event().wait(after)
    die(how)


@app.task(name="die_in_child", isolation="process")
def die_in_child(number: int) -> None:
    """Computes for a while, and dies of a signal when the worker has had time to look at it."""
    until = time.process_time() + 0.5
    while time.process_time() < until:
        pass
    os.kill(os.getpid(), number)


def _begin() -> Path:
    id = current_job().id
    say("began", id, os.getpid())
    return Path(os.environ["GATES"]) / f"{id}.1"


if __name__ == "__main__":
    worker = app.worker(**json.loads(sys.argv[1]))
    run_until_signalled(worker, on_started=lambda: say("ready", worker.name))
    say("stopped")
