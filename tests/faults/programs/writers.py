"""Four threads that write, beside a worker if asked: how long their slowest call took, or what went wrong."""

from __future__ import annotations

import sys
import traceback
from contextlib import nullcontext
from threading import Thread
from time import monotonic

from tests.faults.programs.tasks import app, note, say


def write(calls: int) -> None:
    slowest = 0.0
    for number in range(calls):
        began = monotonic()
        try:
            note.enqueue(number)
        except Exception:
            say("failed", traceback.format_exc().replace("\n", " | "))
            return
        slowest = max(slowest, monotonic() - began)
    say("slowest", slowest)


if __name__ == "__main__":
    threads = [Thread(target=write, args=(int(sys.argv[1]),)) for _ in range(4)]
    with app.worker() if "worker" in sys.argv else nullcontext():
        say("ready")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    say("done")
