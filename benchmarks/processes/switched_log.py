"""An app for ``windlass worker -A benchmarks.processes.switched_log``: lines of ended runs go on and off.

From its first run on a thread of its own switches the logger of these lines, and counts the runs between two switches.
A machine that gets slower or faster meanwhile is the same machine on both sides of a switch.
"""

from __future__ import annotations

import json
import logging
import os
import time
from array import array
from itertools import cycle
from pathlib import Path
from threading import Thread

from windlass import Windlass
from windlass.threads.log_relay import JOBS_LOGGER, relay

WINDOWS, LENGTH = "WINDLASS_BENCH_WINDOWS", "WINDLASS_BENCH_WINDOW_SECONDS"
ORDER = (False, True, True, False)
"""Every second pair of windows begins with the other one."""
_FLUSHED = 30.0

app = Windlass()
_runs = array("q", [0])


@app.task(name="bench.async")
async def counted(index: int) -> None:
    _runs[0] += 1
    if _runs[0] == 1:
        Thread(target=_switch, daemon=True).start()


def _switch() -> None:
    seconds = float(os.environ[LENGTH])
    with Path(os.environ[WINDOWS]).open("a", encoding="utf-8") as windows:
        for is_on in cycle(ORDER):
            logging.getLogger(JOBS_LOGGER).setLevel(logging.INFO if is_on else logging.WARNING)
            relay.flush(_FLUSHED)  # what a window without lines must not write, and one with lines has not made
            time.sleep(seconds / 2)
            began, before = time.monotonic(), _runs[0]
            time.sleep(seconds)
            rate = (_runs[0] - before) / (time.monotonic() - began)
            windows.write(json.dumps({"is_on": is_on, "runs_per_second": rate}) + "\n")
            windows.flush()
