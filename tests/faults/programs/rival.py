"""Enqueues the same as its rivals, many times at once, when the file ``go`` is there; repeats what failed.

It says which jobs it was given, by how many calls it was told that they made one, and how many were cut under way.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

from tests.faults.names import MARKER, NOTE
from tests.faults.programs.tasks import app, say
from windlass import Job, OutcomeUnknown, StoreUnavailable

THREADS = 10

OPTIONS: dict[str, dict[str, Any]] = {"unique": {"unique": MARKER}, "id": {"id": MARKER}}


def enqueue(kind: str) -> tuple[Job[Any], int]:
    """The job that it was given, and how many calls before were cut."""
    cut, pause = 0, Event()
    while True:
        try:
            return app.enqueue_many([app.request(NOTE, (7,), **OPTIONS[kind])])[0], cut
        except OutcomeUnknown:
            cut += 1
        except StoreUnavailable:
            pause.wait(0.01)


if __name__ == "__main__":
    kind, count = sys.argv[1], int(sys.argv[2])
    app.counts()  # its connection is up
    say("ready")
    pause = Event()
    while not (Path(os.environ["GATES"]) / "go").exists():
        pause.wait(0.001)
    with ThreadPoolExecutor(THREADS) as threads:
        given = list(threads.map(enqueue, [kind] * count))
    say("ids", *{job.id for job, _ in given})
    say("made", sum(not job.duplicate for job, _ in given))
    say("cut", sum(cut for _, cut in given))
    app.close()
