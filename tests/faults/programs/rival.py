"""Enqueues the same as its rivals, many times at once, when the file ``go`` is there; repeats what failed."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

from tests.faults.names import NOTE
from tests.faults.programs.tasks import app, say
from windlass import StoreUnavailable

THREADS = 10

OPTIONS: dict[str, dict[str, Any]] = {"unique": {"unique": "the one"}, "id": {"id": "the-one"}}


def enqueue(kind: str) -> str:
    pause = Event()
    while True:
        try:
            return app.enqueue_many([app.request(NOTE, (7,), **OPTIONS[kind])])[0].id
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
        say("ids", *set(threads.map(enqueue, [kind] * count)))
    app.close()
